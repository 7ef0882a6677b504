// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting
import Testing

@testable import SidingService

/// Where a service listens.
@Suite(.timeLimit(.minutes(5))) struct ServerAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8787", HTTPService.Address.loopback(port: 8787)), ("localhost:0", .loopback(port: 0)),
        ("[::1]:8787", .host("::1", port: 8787)), ("0.0.0.0:80", .host("0.0.0.0", port: 80)),
        ("Siding.example.org:443", .host("siding.example.org", port: 443)),
        ("unix:/run/siding/siding.sock", .unixSocket(path: "/run/siding/siding.sock")),
    ])
    func `an address is read from text`(_ text: String, _ address: HTTPService.Address) throws {
        #expect(try HTTPService.Address(text) == address)
        #expect(try HTTPService.Address(address.description) == address)
    }

    @Test(arguments: [
        "", "8787", ":8787", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "::1:8787",
        "[::1]", "[::1", "[localhost]:80", "http://127.0.0.1:80", "a b:80", "unix:", "unix:siding.sock", "unix:/run/",
    ])
    func `other text is not an address`(_ text: String) {
        let error = #expect(throws: ServiceError.self) { _ = try HTTPService.Address(text) }
        #expect(error?.kind == .invalidAddress)
    }

    @Test func `a port that another process has is refused with its address`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let error = await #expect(throws: ServiceError.self) {
                try await bench.service(at: .loopback(port: client.port)).run()
            }
            #expect(error?.kind == .addressInUse)
            #expect(error?.message.contains("127.0.0.1:\(client.port)") == true)
        }
    }

    @Test func `a unix socket is for its owner, and with a token for its group`() async throws {
        let bench = try await ServiceBench()
        for (token, mode) in [(nil, 0o600), (ServiceBench.token, 0o660)] as [(String?, Int)] {
            let path = try bench.socketPath()
            try await bench.serving(at: .unixSocket(path: path), token: token) { client in
                let found = try FileManager.default.attributesOfItem(atPath: path)
                #expect(found[.posixPermissions] as? Int == mode)
                #expect(found[.type] as? FileAttributeType == .typeSocket)
                #expect(try await client.status("/healthz", host: "localhost") == 200)
                #expect(try await client.status("/healthz", host: "evil.example") == 421)
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.directory.path).allSatisfy {
                !$0.hasPrefix(".siding-")
            })
    }

    @Test func `the socket of a killed service is replaced, that of a running one is not`() async throws {
        let bench = try await ServiceBench()
        let path = try bench.socketPath()
        // Bound by a process that is gone.
        try ServiceBench.leaveSocket(at: path)
        try await bench.serving(at: .unixSocket(path: path)) { client async throws in
            #expect(try await client.status("/healthz", host: "localhost") == 200)
            let error = await #expect(throws: ServiceError.self) {
                try await bench.service(at: .unixSocket(path: path)).run()
            }
            #expect(error?.kind == .addressInUse)
            #expect(try await client.status("/healthz", host: "localhost") == 200)
        }
    }

    @Test func `a file that is not a socket is left alone`() async throws {
        let bench = try await ServiceBench()
        let path = try bench.directory.write("mine", to: "notes.txt")
        let error = await #expect(throws: ServiceError.self) {
            try await bench.service(at: .unixSocket(path: path)).run()
        }
        #expect(error?.kind == .addressUnavailable)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `a path that cannot be is refused with the reason`() async throws {
        let bench = try await ServiceBench()
        _ = try bench.socketPath()
        let long = bench.directory.path(of: String(repeating: "a", count: 60)) + "/" + String(repeating: "b", count: 60)
        try FileManager.default.createDirectory(
            atPath: String(long.dropLast(61)), withIntermediateDirectories: true)
        // The longest address has 107 bytes; that of the file that is made first is shorter here.
        let name = bench.directory.path(of: String(repeating: "a", count: 108 - bench.directory.path.utf8.count - 1))
        for (path, why) in [
            ("/nowhere/siding.sock", "No such file or directory"), (long, "too long"), (name, "too long"),
        ] {
            let error = await #expect(throws: ServiceError.self) {
                try await bench.service(at: .unixSocket(path: path)).run()
            }
            #expect(error?.kind == .addressUnavailable)
            #expect(error?.description.contains(why) == true, "\(error?.description ?? "")")
        }
        #expect(name.utf8.count == 108)
        try await bench.serving(at: .unixSocket(path: String(name.dropLast()))) { client async throws in
            #expect(try await client.status("/healthz", host: "localhost") == 200)
        }
    }
}
