import SidingJSON
import Testing

/// Nothing takes longer than in proportion to what it is given. Runs alone.
struct MergeTimeTests {
    @Test func `ten times as much takes about ten times as long`() throws {
        // The best of several: a machine that is busy elsewhere makes a run slow, never fast.
        func seconds(_ count: Int) throws -> Duration {
            try (0..<5).map { _ in
                let start = ContinuousClock.now
                _ = try DeepAndLargeMergeTests.work(count)
                return ContinuousClock.now - start
            }.min() ?? .zero
        }
        let small = try seconds(300)
        let large = try seconds(3000)
        #expect(large < small * 60, "\(small) for 300 members, \(large) for ten times as many")
    }
}
