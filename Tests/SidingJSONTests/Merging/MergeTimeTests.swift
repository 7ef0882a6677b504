// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

/// Nothing takes longer than in proportion to what it is given. Runs alone.
struct MergeTimeTests {
    @Test func `a tenfold input takes about ten times as long`() throws {
        let small = try processorTime { _ = try DeepAndLargeMergeTests.work(300) }
        let large = try processorTime { _ = try DeepAndLargeMergeTests.work(3000) }
        #expect(large < small * 60, "\(small) for 300 members, \(large) for ten times as many")
    }
}
