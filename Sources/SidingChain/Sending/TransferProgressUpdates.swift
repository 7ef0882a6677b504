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
        var readers: [Int: CheckedContinuation<Void, Never>] = [:]
        var readerCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Sets the newest progress. Has no effect after ``finish()``.
    package func report(_ progress: TransferProgress) {
        wake { state in
            guard !state.isFinished else { return }
            state.newest = progress
            state.version += 1
        }
    }

    /// Ends the sequence for every reader, after the newest progress.
    package func finish() {
        wake { $0.isFinished = true }
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

    private func wake(_ change: (inout State) -> Void) {
        let readers = state.withLock { state in
            change(&state)
            defer { state.readers = [:] }
            return state.readers.values
        }
        for reader in readers { reader.resume() }
    }

    private func newest(after seen: Int) async -> (TransferProgress, Int)? {
        while !Task.isCancelled {
            let (newest, version, isFinished) = state.withLock { ($0.newest, $0.version, $0.isFinished) }
            if version > seen, let newest { return (newest, version) }
            if isFinished { return nil }
            await change(after: seen)
        }
        return nil
    }

    private func change(after seen: Int) async {
        let reader = state.withLock { state in
            state.readerCount += 1
            return state.readerCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard state.version <= seen, !state.isFinished, !Task.isCancelled else { return true }
                    state.readers[reader] = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.readers.removeValue(forKey: reader) }?.resume()
        }
    }
}
