// SPDX-License-Identifier: Apache-2.0
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// Nothing that was accepted is lost, done twice or out of order, whoever dies when.
@Suite(.serialized)
struct QueueKillTests {
    /// Kills: enough to meet every transition more than once; many more in the longer proofs.
    private static let kills = Proof.choose(short: 70, middle: 140, long: 5_000)

    @Test func `no accepted write is lost, none is done twice, and no lane is out of order`() async throws {
        let seed = Proof.seed ?? .random(in: 1...1_000_000)
        let harness = try await QueueKillHarness(kills: Self.kills, seed: seed)
        let start = ContinuousClock.now
        try await harness.run()
        let ran = ContinuousClock.now
        try await harness.drain()
        print("seed \(seed): \(harness.summary), in \(ran - start), drained in \(ContinuousClock.now - ran)")
        #expect(harness.slaughter.killed >= Self.kills)
        try await harness.expectAllIsWell()
        await harness.service.origin.stop()
    }
}
