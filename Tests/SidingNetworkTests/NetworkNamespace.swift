// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting

/// A network namespace of a test's own, gone when the last reference goes (ip-netns(8)).
final class NetworkNamespace: Sendable {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    /// Whether this process may make one: as root, with iproute2.
    static let canBeMade: Bool = (try? NetworkNamespace()) != nil
    static let condition = "needs root, the right to make network namespaces, and the package iproute2"

    /// Where `ip` is.
    static let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
        .first(where: FileManager.default.isExecutableFile)

    let name = "siding-\(UUID().uuidString.prefix(8).lowercased())"

    init() throws {
        try Self.ip(["netns", "add", name])
    }

    deinit {
        _ = try? Self.ip(["netns", "del", name])
    }

    /// Runs `ip` in here, and returns what it printed.
    @discardableResult
    func ip(_ command: String) throws -> String {
        try Self.ip(["-n", name] + command.split(separator: " ").map(String.init))
    }

    /// Runs many commands in one process of `ip`.
    func ip(batch commands: [String]) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "batch")
        try (commands.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        try Self.ip(["-n", name, "-batch", path])
    }

    /// Runs `body` on a thread that has entered this namespace and ends afterwards, so that no thread of a pool stays in
    /// it. What it opens belongs to the namespace, whoever reads it.
    func enter<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let path = "/run/netns/\(name)"
        return try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    with: Swift.Result {
                        try Self.join(path)
                        return try body()
                    })
            }
            thread.start()
        }
    }

    private static func join(_ path: String) throws {
        // setns(2), which the C library's Swift module leaves out; CLONE_NEWNET.
        typealias Function = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "setns") else { throw Refusal(description: "this C library has no setns") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard unsafeBitCast(symbol, to: Function.self)(descriptor, 0x4000_0000) == 0 else {
            throw Refusal(description: "setns \(path): \(String(cString: strerror(errno)))")
        }
    }

    @discardableResult
    private static func ip(_ arguments: [String]) throws -> String {
        guard let path = program else { throw Refusal(description: "there is no ip") }
        let process = Process()
        let said = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (said, said)
        try process.run()
        let answer = try said.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let words = arguments.joined(separator: " ")
            throw Refusal(description: "ip \(words): \(String(decoding: answer, as: UTF8.self))")
        }
        return String(decoding: answer, as: UTF8.self)
    }
}

/// Two machines and a cable between them: `here`, on the interface `wire0`, and `there`, on `wire1`.
///
/// Without IPv6 addresses that make themselves, whose events come when they like.
struct Cable: Sendable {
    let here: NetworkNamespace
    let there: NetworkNamespace

    init() async throws {
        here = try NetworkNamespace()
        there = try NetworkNamespace()
        for end in [here, there] {
            try await end.enter {
                let path = "/proc/sys/net/ipv6/conf/default/addr_gen_mode"
                try "1".write(toFile: path, atomically: false, encoding: .utf8)
            }
        }
        try here.ip("link add wire0 type veth peer name wire1 netns \(there.name)")
        try there.ip("link set wire1 up")
    }

    /// With the address 10.99.0.1/24 and carrier, but no route beyond.
    func plugIn() throws {
        try here.ip(batch: ["link set lo up", "addr add 10.99.0.1/24 dev wire0", "link set wire0 up"])
    }
}
