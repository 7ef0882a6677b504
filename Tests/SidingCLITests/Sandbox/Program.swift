// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin

/// A program of the system that serves on a port of loopback while a test runs.
final class Program {
    private let process: Process
    private let output: Pipe
    /// What it had printed when it was ready.
    let greeting: String

    /// Starts `path` in `directory`, without a terminal, and returns once it has printed what `isReady` waits for.
    init(
        _ path: String, _ arguments: [String], in directory: String, until isReady: (String) -> Bool
    ) async throws {
        (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: directory)
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": directory]
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (output, output)
        let (printed, arrived) = AsyncStream.makeStream(of: Data.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { arrived.finish() } else { arrived.yield(data) }
        }
        try process.run()
        var text = ""
        for await data in printed {
            text += String(decoding: data, as: UTF8.self)
            if isReady(text) { break }
        }
        greeting = text
        guard isReady(text) else { throw Overdue(description: "\(path) ended before it was ready: \(text)") }
    }

    deinit { stop() }

    func stop() {
        output.fileHandleForReading.readabilityHandler = nil
        // Foundation's wait for the end runs a run loop, which a thread of Swift's pool must not do.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}

extension Program {
    /// Tinyproxy, Debian's, for the user `ada` with the password `geheim`. It connects to `port` of any host, and to no other.
    static func tinyproxy(in sandbox: Sandbox, to port: Int) async throws -> (program: Program, address: String) {
        let own = try await freePort()
        try sandbox.write(
            """
            Port \(own)
            Listen 127.0.0.1
            Timeout 30
            ConnectPort \(port)
            BasicAuth ada geheim

            """, to: "tinyproxy.conf")
        let program = try await Program(
            "/usr/bin/tinyproxy", ["-d", "-c", sandbox.file("tinyproxy.conf")], in: sandbox.path,
            until: { $0.contains("Accepting connections") })
        return (program, "127.0.0.1:\(own)")
    }

    /// OpenSSL's server with the certificate `server.pem`, which serves the files of `sandbox` to clients that show the certificate
    /// `client.pem`.
    static func secureServer(in sandbox: Sandbox, _ more: String...) async throws -> (program: Program, url: String) {
        let program = try await Program(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", "server.pem", "-key", "server.key", "-HTTP", "-Verify",
                "1",
                "-verify_return_error", "-CAfile", "client.pem",
            ] + more, in: sandbox.path, until: { $0.contains(/ACCEPT 127\.0\.0\.1:[0-9]+\n/) })
        let port = program.greeting.firstMatch(of: /ACCEPT 127\.0\.0\.1:([0-9]+)\n/)?.1 ?? ""
        return (program, "https://127.0.0.1:\(port)")
    }

    /// A port on which nobody listens, as far as anyone can say.
    static func freePort() async throws -> Int { try await freePorts(1)[0] }

    /// So many different ones: all are held before the first is released.
    static func freePorts(_ count: Int) async throws -> [Int] {
        var origins: [Origin] = []
        for _ in 0..<count { origins.append(try await Origin.start { _ in .notFound }) }
        for origin in origins { await origin.stop() }
        return origins.map(\.url.port)
    }
}
