// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

@testable import Siding
@testable import SidingNetwork

/// Failures of the store under ``Siding/run()``, and what ends it.
@Suite(.timeLimit(.minutes(5))) struct ServiceEndTests {
    // MARK: Failures of the store

    @Test func `a failure that may heal is logged once and shown until it is over, and the work continues`()
        async throws
    {
        let isFull = Mutex(true)
        let tries = Mutex(0)
        let probes = StoreProbes(willCommit: { _ throws(StoreError) in
            tries.withLock { $0 += 1 }
            if isFull.withLock({ $0 }) { throw StoreError(.full, "the disk is full") }
        })
        let source = try RunningService.source()
        let running = try await RunningService(
            .posts(), resources: [RunningService.posts(from: source)], sources: [], time: ManualWallClock(),
            probes: probes)
        try await running.runs { tries.withLock { $0 } >= 3 }
        #expect(running.log.lines.compactMap { $0.metadata["kind"] } == ["full"])
        #expect(await running.siding.health.storeFailure?.kind == .full)
        isFull.withLock { $0 = false }
        try await running.runs {
            let isShown = await running.siding.health.storeFailure != nil
            return try await running.records() == 5 && !isShown
        }
        running.stop()
        try await running.ended()
        #expect(running.log.lines.compactMap { $0.metadata["kind"] } == ["full"])
    }

    @Test func `a file that was removed or replaced ends the service`() async throws {
        let source = try RunningService.source()
        let running = try await RunningService(
            .posts(), resources: [RunningService.posts(from: source)], sources: [], time: ManualWallClock())
        try await running.runs { (try? await running.records()) == 5 }
        try FileManager.default.removeItem(atPath: running.store.path)
        // The next look comes at once, if there has been none since.
        running.kernel.tell(.routes)
        let error = await #expect(throws: StoreError.self) { try await running.ended() }
        #expect(error?.kind == .foreign)
    }

    @Test func `a failure that cannot heal ends the service`() async throws {
        let probes = StoreProbes(willCommit: { _ throws(StoreError) in throw StoreError(.corrupt, "malformed") })
        let source = try RunningService.source()
        let running = try await RunningService(
            .posts(), resources: [RunningService.posts(from: source)], sources: [], time: ManualWallClock(),
            probes: probes)
        await #expect { try await running.ended() } throws: { ($0 as? StoreError)?.kind == .corrupt }
    }

    // MARK: Stopping

    @Test(arguments: [true, false])
    func `a write that may not be sent twice has some time for its answer when the service is stopped`(
        isAnswered: Bool
    ) async throws {
        let gate = Gatepost()
        let arrived = Promise<Void>()
        let origin = ScriptedOrigin { _ in
            arrived.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .status(.created))
        let source = try RunningService.source()
        let running = try await RunningService(origin, resources: [], sources: [source], time: ManualWallClock()) {
            siding in
            _ = try await siding.store.enqueue(RunningService.write("/orders", isKeyed: false))
        }
        await arrived.value()
        running.stop()
        await running.clock.sleepers(1, waiting: RetryRules.stopWait)
        if isAnswered { gate.open() } else { running.clock.advance(by: RetryRules.stopWait) }
        try await running.ended()
        let all = QueueSelection(states: QueueEntry.State.allCases)
        let entry = try #require(try await running.store.entries(all).first)
        #expect(entry.state == (isAnswered ? .done : .parked))
        #expect(entry.reason == (isAnswered ? nil : .uncertain))
    }

    @Test func `a write that waits for a token goes back to the queue when the service is stopped`() async throws {
        let asked = Promise<Void>()
        let refresher = TokenRefresherNode { _, _ in
            asked.resolve(())
            try await Task.sleep(for: .seconds(3_600))
            return TokenGrant(accessToken: "never", refreshToken: "r")
        }
        let store = InMemoryCredentialStore()
        try await store.save(Credential(accessToken: "", refreshToken: "r"), of: "blog")
        var source = try RunningService.source()
        source.authorization = .refreshed(
            AccessSafety(
                AccessSettings(account: "blog", store: store, refresher: refresher).with(\.grace, .zero)))
        let running = try await RunningService(
            ScriptedOrigin(), resources: [], sources: [source], time: ManualWallClock()
        ) { siding in _ = try await siding.store.enqueue(RunningService.write("/orders", isKeyed: false)) }
        await asked.value()
        running.stop()
        // No time passes: nothing was sent whose answer could be waited for.
        try await running.ended()
        let entry = try #require(try await running.store.entries(QueueSelection()).first)
        #expect(entry.state == .queued && entry.crashes == 0 && !entry.mayHaveArrived)
    }
}
