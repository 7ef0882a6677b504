// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// Writes that a program makes due while ``Siding/run()`` rests.
@Suite(.timeLimit(.minutes(5))) struct ServiceWriteTests {
    private static func running(_ origin: ScriptedOrigin) async throws -> RunningService {
        try await RunningService(
            origin, resources: [], sources: [RunningService.source()], time: ManualWallClock())
    }

    @Test func `a stored write is sent at once, though no clock moves`() async throws {
        let arrived = Promise<Void>()
        let origin = ScriptedOrigin { _ in arrived.resolve(()) }
        origin.set("/posts", .text("{}", status: .created))
        let running = try await Self.running(origin)
        await running.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        let entry = try await running.siding.send(RunningService.write("/posts"), sendsNow: false)
        #expect(entry.state == .queued && entry.attempts == 0)
        await arrived.value()
        running.stop()
        try await running.ended()
    }

    @Test func `an entry that the program tries again is sent at once, though no clock moves`() async throws {
        let asked = Mutex(0)
        let again = Promise<Void>()
        let origin = ScriptedOrigin { _ in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            if count == 2 { again.resolve(()) }
        }
        origin.set("/posts", .status(.forbidden), .text("{}", status: .created))
        let running = try await Self.running(origin)
        let refused = try await running.siding.send(RunningService.write("/posts"))
        #expect(refused.state == .parked)
        try await running.siding.retry(refused)
        await again.value()
        running.stop()
        try await running.ended()
    }

    @Test func `writes behind a gate are sent as soon as a page is answered, though no clock moves`() async throws {
        let source = try RunningService.source()
        let posts = RunningService.posts(from: source)
        let arrived = Promise<Void>()
        let origin = ScriptedOrigin { request in
            if request.hasPrefix("/orders") { arrived.resolve(()) }
        }
        origin.set("/posts", ScriptedOrigin.page("[1]"))
        origin.set("/orders", .text("{}", status: .created))
        let time = ManualWallClock()
        let running = try await RunningService(origin, resources: [posts], sources: [source], time: time) { siding in
            // Due since a moment, behind a gate that is closed for longer.
            _ = try await siding.store.enqueue(RunningService.write("/orders"))
            time.advance(by: .seconds(1))
            try await siding.store.write { transaction in
                var health = SourceHealth(source: source.name)
                health.failures = RetryRules.breakerLimit
                health.gate = SourceGate(
                    source: source.name, reason: .breaker, until: time.now + .seconds(500), note: "5 tries failed")
                try SourcesTable.save(health, time.now, transaction)
            }
        }
        await arrived.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a write that is delivered at once wakes nothing`() async throws {
        let origin = ScriptedOrigin()
        origin.set("/posts", .text("{}", status: .created))
        let running = try await Self.running(origin)
        await running.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        let before = running.siding.activity.dueWrites.count
        for _ in 1...20 {
            let sent = try await running.siding.send(RunningService.write("/posts"))
            #expect(sent.state == .done)
        }
        #expect(running.siding.activity.dueWrites.count == before)
        running.stop()
        try await running.ended()
    }
}
