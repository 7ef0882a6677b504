// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// ``Siding/run()`` of a program that has a connectivity of its own.
@Suite(.timeLimit(.minutes(5))) struct OwnNetworkTests {
    @Test func `a change that the program announces wakes the service at once`() async throws {
        let isBack = Promise<Void>()
        let origin = ScriptedOrigin { _ in isBack.resolve(()) }
        origin.set("/orders", .status(.created))
        let source = try RunningService.source()
        let (connectivity, clock) = (TestConnectivity(hasUsableRoute: false), ManualClock())
        // A kernel that reports nothing.
        let kernel = try ScriptedKernel()
        defer { withExtendedLifetime(kernel) {} }
        let changes = NetworkChanges(socket: kernel.socket)
        let time = ManualWallClock()
        let siding = try await Siding(
            store: .store(try await .temporary(clock: time.clock)), resources: [], sources: [source],
            transports: origin,
            environment: RuntimeEnvironment(
                connectivity: connectivity, jitter: .none, clock: clock, wallClock: time.clock),
            networkChanges: changes)
        let entry = try await siding.send(RunningService.write("/orders"))
        try await siding.store.record(.offline(note: "no route"), of: source.name)
        let service = Task { try await siding.run() }
        await clock.sleepers(1, waiting: RetryRules.serviceInterval)
        #expect(origin.waiting == 0)
        connectivity.set(hasUsableRoute: true)
        changes.announce()
        // No clock is moved.
        await isBack.value()
        while try await siding.queueEntry(entry.id).state != .done { try Task.checkCancellation() }
        await siding.close()
        try await service.value
    }
}
