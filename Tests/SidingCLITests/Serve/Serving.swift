// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingSynchronization

/// A running `siding serve`, whose service manager is the test.
struct Serving: Sendable {
    let child: Child
    let manager: ServiceManager

    /// Has the config loaded anew, and waits until the service says that it is done.
    func reload() async throws {
        let before = manager.lines.count { $0 == "READY=1" }
        child.send(SIGHUP)
        try await manager.hears("READY=1", times: before + 1)
    }
}

extension Sandbox {
    /// Runs `siding serve` without HTTP, and `body` once it is ready; then sends it `signal`.
    ///
    /// - Parameters:
    ///   - signal: nil if `body` ends the service.
    ///   - address: of the service manager; nil for a socket in the sandbox.
    func serve(
        _ arguments: String..., environment: [String: String] = [:], signal: Int32? = SIGTERM,
        address: String? = nil, limit: Duration = .seconds(60),
        body: @escaping @Sendable (Serving) async throws -> Void
    ) async throws -> Outcome {
        let manager = try ServiceManager(address ?? file("notify"))
        defer { manager.stop() }
        let all = environment.merging(["NOTIFY_SOCKET": manager.address]) { own, _ in own }
        return try await siding(["serve", "--listen", "none"] + arguments, environment: all, limit: limit) { child in
            do {
                try await manager.hears("READY=1")
                try await body(Serving(child: child, manager: manager))
                if let signal { child.send(signal) }
            } catch {
                child.send(SIGKILL)
                throw error
            }
        }
    }
}

/// Counts what happens by name, and lets a test wait for it.
final class Tally: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let changed = ChangeSignal()

    func note(_ name: String) {
        counts.withLock { $0[name, default: 0] += 1 }
        changed.fire()
    }

    func callAsFunction(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

    /// Waits until `name` has happened `count` times.
    func reaches(_ count: Int, _ name: String) async throws {
        while true {
            let changes = changed.count
            if self(name) >= count { return }
            await changed.wait(past: changes)
            try Task.checkCancellation()
        }
    }
}
