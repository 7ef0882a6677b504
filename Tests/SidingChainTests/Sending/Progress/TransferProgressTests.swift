// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct TransferProgressTests {
    @Test(
        arguments: [
            (0, 0, 1.0), (0, 10, 0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (-1, 10, 0), (0, -1, 1),
        ] as [(Int64, Int64, Double)])
    func `a fraction is a number from 0 to 1, and all of nothing is 1`(
        _ completed: Int64, _ total: Int64, _ fraction: Double
    ) {
        #expect(TransferProgress(completed: completed, total: total).fraction == fraction)
    }

    @Test func `without a length there is no fraction`() {
        #expect(TransferProgress(completed: 7, total: nil).fraction == nil)
    }

    @Test func `a slow reader gets the newest, and the sequence ends after the last`() async {
        let updates = TransferProgressUpdates()
        for number in 1...5 { updates.report(TransferProgress(completed: Int64(number), total: 9)) }
        var iterator = updates.makeAsyncIterator()
        #expect(await iterator.next()?.completed == 5)
        updates.report(TransferProgress(completed: 6, total: 9))
        updates.report(TransferProgress(completed: 9, total: 9))
        updates.finish()
        updates.report(TransferProgress(completed: 8, total: 9))
        #expect(await iterator.next()?.completed == 9)
        #expect(await iterator.next() == nil)
    }

    @Test func `every reader sees the newest`() async {
        let updates = TransferProgressUpdates()
        async let one = Self.last(of: updates)
        async let other = Self.last(of: updates)
        for number in 1...1000 { updates.report(TransferProgress(completed: Int64(number), total: nil)) }
        updates.finish()
        #expect(await one?.completed == 1000)
        #expect(await other?.completed == 1000)
    }

    @Test func `a reader that is cancelled stops waiting`() async {
        let updates = TransferProgressUpdates()
        let reader = Task { await Self.last(of: updates) }
        reader.cancel()
        #expect(await reader.value == nil)
    }

    static func first(of updates: some AsyncSequence<TransferProgress, Never> & Sendable) async -> TransferProgress? {
        for await progress in updates { return progress }
        return nil
    }

    static func last(of updates: some AsyncSequence<TransferProgress, Never> & Sendable) async -> TransferProgress? {
        var last: TransferProgress?
        for await progress in updates { last = progress }
        return last
    }
}
