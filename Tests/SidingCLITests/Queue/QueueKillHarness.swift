// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingOrigin
import SidingSynchronization
import Testing

/// Three senders, two enqueuers and a person at the command line on one queue, all of them killed again and again, at an
/// origin behind a bad line.
final class QueueKillHarness: Sendable {
    let sandbox: Sandbox
    let service: Service
    let ledger: WriteLedger
    let slaughter: Slaughter
    private let accepted = Mutex<[String: String]>([:])
    /// Writes that may not be sent twice, by their key.
    private let once: [String: String]

    init(kills: Int, seed: UInt64) async throws {
        let ledger = WriteLedger(.bad, seed: seed)
        service = try await Service.start(items: 1, routes: [ledger])
        sandbox = try Sandbox.with(
            service, source: "http: { concurrency: 6 }, retry: { inline: 1, base: 10ms, cap: 100ms }")
        self.ledger = ledger
        slaughter = Slaughter(in: sandbox, target: kills, seed: seed &+ 1)
        let (keyed, once) = try await Self.fill(sandbox, service)
        accepted.withLock { $0 = keyed }
        self.once = once
    }

    /// What only the library can say yet: that an origin honours keys. And some writes of which it cannot be said.
    ///
    /// - Returns: the ids by key, of either.
    private static func fill(
        _ sandbox: Sandbox, _ service: Service
    ) async throws -> (keyed: [String: String], once: [String: String]) {
        let store = try await Store.open(at: sandbox.file("test.db"))
        var keyed: [String: String] = [:]
        var once: [String: String] = [:]
        for number in 1...20 {
            for lane in ["k1", "k2", "k3", "k4"] {
                let write = try WriteRequest(
                    to: "shop", .post, HTTPURL("\(service.url)/lanes/\(lane)/\(number)"), body: Array("{}".utf8),
                    idempotency: Idempotency()
                )
                .with(\.lane, lane)
                .with(\.key, "\(lane)-\(number)")
                keyed["\(lane)-\(number)"] = try await store.enqueue(write).id
            }
            let single = try WriteRequest(
                to: "shop", .post, HTTPURL("\(service.url)/lanes/once/\(number)"), body: Array("{}".utf8)
            )
            .with(\.key, "once-\(number)")
            once["once-\(number)"] = try await store.enqueue(single).id
        }
        await store.close()
        return (keyed, once)
    }

    // MARK: The load

    /// Goes on until enough children were killed.
    func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.send(["queue", "run"]) }
            group.addTask { try await self.send(["queue", "run"]) }
            group.addTask { try await self.send(["queue", "run", "--watch"]) }
            group.addTask { try await self.enqueue("a") }
            group.addTask { try await self.enqueue("b") }
            group.addTask { try await self.look() }
            do { try await group.waitForAll() } catch {
                slaughter.end()
                throw error
            }
        }
    }

    private func send(_ command: [String]) async throws {
        while slaughter.goesOn {
            try await slaughter.siding(
                command, chance: command.count == 2 ? 0.8 : 1, statuses: [0, 75],
                stretch: command.count == 2 ? 1.2 : 3)
        }
    }

    /// Accepts one write after the other, in order within each lane. One that was killed before it said so is tried again
    /// under the same key.
    private func enqueue(_ name: String) async throws {
        var numbers = [0, 0, 0]
        while slaughter.goesOn {
            let lane = slaughter.random { Int.random(in: 0..<numbers.count, using: &$0) }
            numbers[lane] += 1
            let key = "\(name)\(lane)-\(numbers[lane])"
            var id: String?
            while id == nil, slaughter.goesOn {
                let outcome = try await slaughter.siding(
                    [
                        "send", "PUT", "shop:/lanes/\(name)\(lane)/\(numbers[lane])", "-d", "{}", "-H",
                        "X-Write-Key: \(key)", "--key", key, "--lane", "\(name)\(lane)", "--no-send",
                    ], chance: 0.5)
                id = outcome.lines.first.map(String.init)
                if id == nil, outcome.status == 0 { throw Overdue(description: "'send' printed no id") }
            }
            if let id { accepted.withLock { $0[key] = id } }
        }
    }

    /// A person who looks at the queue, and puts her hand in.
    private func look() async throws {
        while slaughter.goesOn {
            let ids = accepted.withLock { Array($0.values) }
            guard let id = slaughter.random({ ids.sorted().randomElement(using: &$0) }) else { continue }
            let commands: [([String], Set<Int32>)] = [
                (["status", "--json"], [0, 5]), (["queue", "list"], [0]), (["queue", "show", id, "--json"], [0]),
                // 1: what is being sent or completed meanwhile takes no word any more.
                (["queue", "hold", id], [0, 1]), (["queue", "release", id], [0, 1]),
                (["queue", "retry", id], [0, 1, 75]),
            ]
            let choice = slaughter.random { Int.random(in: 0..<commands.count, using: &$0) }
            try await slaughter.siding(commands[choice].0, chance: 0.4, statuses: commands[choice].1)
            // What is on hold keeps its lane waiting.
            if choice == 3 { try await slaughter.siding(["queue", "release", id], chance: 0, statuses: [0, 1]) }
        }
    }

    // MARK: The end

    /// The line is good again, and a person lets go on what waits for her, but for what may have arrived.
    func drain() async throws {
        ledger.turn(.fair)
        for _ in 0..<100 {
            let waiting = try await sandbox.siding("queue", "list", "--json").objects()
            let parked = waiting.filter { $0["state"]?.string == "parked" && $0["reason"]?.string != "uncertain" }
            if waiting.allSatisfy({ $0["reason"]?.string == "uncertain" }) { return }
            let ids = parked.compactMap { $0["id"]?.string }
            if !ids.isEmpty { _ = try await sandbox.siding(["queue", "release"] + ids) }
            _ = try await sandbox.siding(["queue", "run"], limit: .seconds(600))
        }
    }

    func expectAllIsWell() async throws {
        let found = ledger.entries
        let wanted = accepted.withLock { $0 }
        let done = Set(try await ids(in: "done"))
        let effects = Set(found.effects.map { "\($0.lane)-\($0.number)" })
        #expect(wanted.filter { !done.contains($0.value) }.map(\.key).sorted() == [], "accepted, and never delivered")
        #expect(wanted.keys.filter { !effects.contains($0) }.sorted() == [], "told as delivered, and nothing was done")
        #expect(found.duplicates == 0)
        #expect(found.inversions(but: "once") == 0)
        #expect(found.repeated.filter { $0.hasPrefix("once-") } == [], "sent again although it may have arrived")
        let uncertain = Set(try await ids(in: "parked"))
        #expect(once.values.filter { !done.contains($0) && !uncertain.contains($0) } == [])
        #expect(slaughter.faults == [])
        let check = try await sandbox.siding("db", "check")
        #expect(check.status == 0 && check.everything == "the database is sound\n", "\(check.everything)")
    }

    private func ids(in state: String) async throws -> [String] {
        try await sandbox.siding("queue", "list", "--json", "--state", state).objects().compactMap { $0["id"]?.string }
    }

    var summary: String {
        let found = ledger.entries
        return """
            \(slaughter.killed) kills, \(accepted.withLock { $0.count }) accepted, \(found.arrivals.count) arrivals, \
            \(found.faults) faults of the line, \(found.effects.count) effects, \(found.duplicates) duplicates, \
            \(found.inversions(but: "once")) inversions
            """
    }
}
