// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// Many processes on one file: no word about locks reaches anyone, and nothing is sent twice.
@Suite(.serialized)
struct QueueProcessesTests {
    /// Passes of every process; for a full proof as many as take about a minute.
    private static let passes = Proof.choose(short: 6, middle: 15, long: 120)
    /// Big enough that all of them fill the WAL beyond its threshold, so that checkpoints come in between.
    private static let body = Array("{\"text\":\"\(String(repeating: "x", count: 400_000))\"}".utf8)

    private struct Fault: Sendable, CustomStringConvertible {
        let description: String
    }

    /// Runs a command again and again, and gathers what it must not do.
    private func loop(
        _ sandbox: Sandbox, _ statuses: Set<Int32>, _ command: @escaping @Sendable (Int) -> [String]
    ) async throws -> [Fault] {
        var faults: [Fault] = []
        for pass in 1...Self.passes {
            let arguments = command(pass)
            let outcome = try await sandbox.siding(arguments, limit: .seconds(300))
            let words = outcome.error.lowercased()
            let speaksOfLocks = words.contains("locked") || words.contains("busy")
            if !statuses.contains(outcome.status) || speaksOfLocks {
                faults.append(
                    Fault(
                        description: "\(arguments.prefix(3)) ended with \(outcome.status): \(outcome.error.prefix(400))"
                    ))
            }
        }
        return faults
    }

    @Test func `eight processes at once: no error of a lock, no write sent twice, none left behind`() async throws {
        let ledger = WriteLedger(seed: 1)
        let service = try await Service.start(items: 60, pageSize: 20, routes: [ledger])
        let sandbox = try Sandbox.with(service, source: "http: { concurrency: 6 }")
        try sandbox.write(Self.body, to: "body.json")
        #expect(try await sandbox.siding("sync").status == 0)
        let send: @Sendable (String) -> @Sendable (Int) -> [String] = { name in
            { pass in
                let key = "\(name)-\(pass)"
                return [
                    "send", "PUT", "shop:/lanes/\(name)/\(pass)", "-d", "@body.json", "-H", "X-Write-Key: \(key)",
                    "--key", key, "--lane", name,
                ]
            }
        }
        let faults = try await withThrowingTaskGroup(of: [Fault].self) { group in
            // A write whose turn has not come when its command ends is in another process's hand: 75.
            group.addTask { try await loop(sandbox, [0, 75], send("a")) }
            group.addTask { try await loop(sandbox, [0, 75], send("b")) }
            group.addTask { try await loop(sandbox, [0, 75], { send("c")($0) + ["--no-send"] }) }
            group.addTask { try await loop(sandbox, [0, 75]) { _ in ["queue", "run"] } }
            group.addTask { try await loop(sandbox, [0, 75]) { _ in ["queue", "run", "--watch"] } }
            group.addTask {
                try await loop(sandbox, [0, 11]) { $0.isMultiple(of: 2) ? ["sync", "--full"] : ["sync"] }
            }
            group.addTask { try await loop(sandbox, [0]) { _ in ["status"] } }
            group.addTask {
                try await loop(sandbox, [0]) { $0.isMultiple(of: 2) ? ["queue", "list", "--json"] : ["db", "check"] }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(faults.map(\.description) == [])
        #expect(try await sandbox.siding("queue", "run", "--watch").status == 0)

        let page = ledger.entries
        #expect(page.arrivals.count == 3 * Self.passes)
        #expect(Set(page.arrivals).count == page.arrivals.count, "an entry was in two hands")
        #expect(page.inversions() == 0)
        #expect(try await sandbox.siding("queue", "list", "--json", "--state", "done").lines.count == 3 * Self.passes)
        #expect(try await sandbox.siding("db", "check").everything == "the database is sound\n")
        #expect(try await sandbox.differences(from: service.items) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.file("test.db.owners")) == [])
        await service.origin.stop()
    }
}
