// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

@Suite(.timeLimit(.minutes(5))) struct BatchesTests {
    private static func bench(_ clock: ManualClock) async throws -> StoreBench {
        var bench = try await StoreBench()
        bench.store.monotonicClock = clock
        return bench
    }

    @Test func `a transaction gets the rows that fit its time, and at most twice the number of the one before`()
        async throws
    {
        let clock = ManualClock()
        let bench = try await Self.bench(clock)
        var batches = Batches(bench.store, Batches.Limits(pause: .zero, first: 100, rows: 10...1_000))
        var given: [Int] = []
        for timePerRow in [Duration.milliseconds(1), .microseconds(100), .milliseconds(20), .zero] {
            given.append(
                try await batches.write { rows, _ in
                    clock.advance(by: timePerRow * rows)
                    return rows
                })
        }
        #expect(given == [100, 50, 100, 10])
        await bench.store.close()
    }

    @Test func `between two transactions others have a pause, and all elements are handed over in order`() async throws
    {
        let clock = ManualClock()
        let bench = try await Self.bench(clock)
        let sizes = Mutex<[Int]>([])
        async let done = bench.store.inBatches(of: Array(0..<250), Batches.Limits(first: 100)) { batch, _ in
            sizes.withLock { $0.append(batch.count) }
            return batch
        }
        await clock.sleepers(1, waiting: .milliseconds(5))
        #expect(sizes.withLock { $0 } == [100])
        clock.advance(by: .milliseconds(5))
        #expect(try await done == Array(0..<250))
        #expect(sizes.withLock { $0 } == [100, 150])
        await bench.store.close()
    }
}
