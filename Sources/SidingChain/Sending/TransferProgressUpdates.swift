// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The progress of one transfer as a sequence: each reader gets the newest progress that it has not seen, and skips older ones.
///
/// A ``CallHandle`` has one for each direction.
package final class TransferProgressUpdates: AsyncSequence, Sendable {
    package typealias Element = TransferProgress
    package typealias Failure = Never

    private struct State {
        var newest: TransferProgress?
        /// The number of reports, so that a reader knows which it has seen.
        var version = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let changes = ChangeSignal()

    package init() {}

    /// Sets the newest progress. Has no effect after ``finish()``.
    package func report(_ progress: TransferProgress) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.newest = progress
            state.version += 1
        }
        changes.fire()
    }

    /// Ends the sequence for every reader, after the newest progress.
    package func finish() {
        state.withLock { $0.isFinished = true }
        changes.fire()
    }

    package func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

    package struct Iterator: AsyncIteratorProtocol {
        let updates: TransferProgressUpdates
        var seen = 0

        package mutating func next() async -> TransferProgress? {
            guard let (progress, version) = await updates.newest(after: seen) else { return nil }
            seen = version
            return progress
        }
    }

    private func newest(after seen: Int) async -> (TransferProgress, Int)? {
        while !Task.isCancelled {
            let changed = changes.count
            let (newest, version, isFinished) = state.withLock { ($0.newest, $0.version, $0.isFinished) }
            if version > seen, let newest { return (newest, version) }
            if isFinished { return nil }
            await changes.wait(past: changed)
        }
        return nil
    }
}
