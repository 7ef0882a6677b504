// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import Testing

/// Where `siding serve` listens, and for which names it answers.
@Suite(.serialized)
struct ServeAddressTests {
    @Test func `it answers under the names that --allow-host gives, and under no other`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let port = try await Program.freePort()
        let ended = try await sandbox.serve(
            "--listen", "127.0.0.1:\(port)", "--allow-host", "siding.example.org", "--allow-host", "gate.example.org"
        ) { _ in
            for (host, line) in [
                ("siding.example.org", "HTTP/1.1 200 OK"), ("Gate.Example.org:443", "HTTP/1.1 200 OK"),
                ("127.0.0.1:\(port)", "HTTP/1.1 200 OK"), ("other.example.org", "HTTP/1.1 421 Misdirected Request"),
            ] {
                let first = try await Self.firstLine(host, port, sandbox)
                #expect(first == line, "\(host)")
            }
        }
        #expect(ended.status == 0, "\(ended.error)")
        await service.origin.stop()
    }

    /// The first line of the answer to a request for `host`.
    private static func firstLine(_ host: String, _ port: Int, _ sandbox: Sandbox) async throws -> String {
        let request = #"GET /healthz HTTP/1.1\r\nHost: \#(host)\r\nConnection: close\r\n\r\n"#
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; head -n 1 <&3 | tr -d '\\r\\n'"
        return try await sandbox.run("/bin/bash", ["-c", script]).output
    }

    @Test func `a port that another process has ends it with 74, and a sentence that says what to do`() async throws {
        let service = try await Service.start(items: 1)
        let sandbox = try Sandbox.with(service)
        let address = "127.0.0.1:\(service.origin.url.port)"
        let refused = try await sandbox.siding("serve", "--listen", address)
        #expect(refused.status == 74)
        #expect(
            refused.error.hasSuffix(
                """
                siding: cannot listen on \(address): another process does
                        end it, or choose another address

                """), "\(refused.error)")
        await service.origin.stop()
    }
}
