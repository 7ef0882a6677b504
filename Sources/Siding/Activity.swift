// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// What a ``Siding`` does now, shared by its copies: the calls under way, which ``Siding/close()`` ends, the syncs among them, the
/// last look of its loop, and the readers of its events.
final class Activity: Sendable {
    private struct State {
        var isClosed = false
        var underWay = 0
        var lastPoll: Timestamp?
        var storeFailure: StoreError?
    }

    let events = EventPublisher()
    let syncs: RunningSyncs
    let clock: any Clock<Duration>
    private let state = Mutex(State())
    /// Fires when a call has stored a write, or may have made one due.
    let dueWrites = ChangeSignal()
    /// Which ended writes the program and the log know.
    let untried = UntriedWrites()
    private let closing = ChangeSignal()
    private let ended = ChangeSignal()

    /// - Parameter clock: measures the pauses of the readers of events.
    /// - Parameter syncs: shared with others on the same file.
    init(clock: any Clock<Duration>, syncs: RunningSyncs) {
        (self.clock, self.syncs) = (clock, syncs)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// When the service last looked for work, or went on with it; nil before ``Siding/run()``.
    var lastPoll: Timestamp? { state.withLock { $0.lastPoll } }

    /// The failure of the store that the service outlasts; nil if its last looks succeeded.
    var storeFailure: StoreError? { state.withLock { $0.storeFailure } }

    func note(storeFailure: StoreError?) {
        state.withLock { $0.storeFailure = storeFailure }
    }

    func note(pollAt moment: Timestamp) {
        state.withLock { $0.lastPoll = moment }
    }

    /// Notes that a page or a write was completed: a loop that works long does not hang.
    func note(progressAt moment: Timestamp) {
        state.withLock { if $0.lastPoll != nil { $0.lastPoll = moment } }
    }

    /// Reports an entry that a call has changed.
    func publish(_ entry: QueueEntry) {
        untried.add(entry)
        events.publish(.entryChanged(entry))
    }

    /// Does `body`, and cancels it when the program closes the ``Siding``.
    ///
    /// - Throws: ``StoreError/Kind/closed`` without doing anything after that; the error of `body`.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        guard begin() else { throw StoreError.closed }
        defer { end() }
        let result = await withTaskGroup(of: Result<Value, StoreError>?.self) { group in
            group.addTask {
                do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                await self.closing.wait(past: 0)
                return nil
            }
            var result: Result<Value, StoreError>?
            while let ended = await group.next() {
                result = result ?? ended
                group.cancelAll()
            }
            return result
        }
        guard let result else { throw StoreError.closed }
        return try result.get()
    }

    /// Cancels the calls under way, lets none begin, and returns when all have ended.
    func close() async {
        state.withLock { $0.isClosed = true }
        closing.fire()
        while true {
            let count = ended.count
            guard state.withLock({ $0.underWay > 0 }) else { break }
            await ended.wait(past: count)
        }
        events.close()
    }

    private func begin() -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.underWay += 1
            return true
        }
    }

    private func end() {
        state.withLock { $0.underWay -= 1 }
        ended.fire()
    }
}

extension StoreError {
    static var closed: StoreError {
        StoreError(.closed, "the store is closed", hint: "open it again with Siding(store:resources:transports:)")
    }
}
