// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// A clock that stands still until a test advances it.
///
/// ```swift
/// async let outcome = chain.process(input, context)   // waits on the clock
/// await clock.sleepers(1)                              // returns when it waits
/// clock.advance(by: .seconds(2))                       // lets it continue
/// ```
public final class ManualClock: Clock {
    /// The time since the clock was created.
    public struct Instant: InstantProtocol {
        /// How far the clock had been advanced then.
        public let offset: Duration

        /// - Parameter offset: the time since the clock was created.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// The moment that is `duration` later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        /// The time from here to `other`; negative if that is earlier.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var ids = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var waiting: [Watcher] = []

        func sleepers(like watcher: Watcher) -> Int {
            guard let wait = watcher.wait else { return sleepers.count }
            return sleepers.count { now.duration(to: $0.deadline) == wait }
        }

        func isReady(_ watcher: Watcher) -> Bool { sleepers(like: watcher) >= watcher.count }
    }

    private struct Watcher {
        let id: Int
        let count: Int
        let wait: Duration?
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state = Mutex(State())

    /// A clock at its start, without sleepers.
    public init() {}

    /// The moment to which it was advanced.
    public var now: Instant { state.withLock { $0.now } }
    /// Zero: no time is too short.
    public var minimumResolution: Duration { .zero }

    /// Advances the time and wakes all sleepers that are due, the earliest first.
    public func advance(by duration: Duration) {
        let due = change { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            let due = state.sleepers.filter { $0.deadline <= now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= now }
            return due
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Returns once at least `count` calls sleep on this clock, or its task is cancelled.
    ///
    /// - Parameter wait: counts only those that wake after this time, if there are other sleepers on the same clock, such as
    ///   the deadline of a request. Nil for all.
    public func sleepers(_ count: Int, waiting wait: Duration? = nil) async {
        let id = nextID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let watcher = Watcher(id: id, count: count, wait: wait, continuation: continuation)
                    guard !state.isReady(watcher), !Task.isCancelled else { return true }
                    state.waiting.append(watcher)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
            }
            watcher?.continuation.resume()
        }
    }

    /// The time until each sleeper wakes, the shortest first.
    public var waits: [Duration] {
        state.withLock { state in
            state.sleepers.map { state.now.duration(to: $0.deadline) }.sorted()
        }
    }

    /// Sleeps until the clock is advanced to `deadline`.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = nextID()
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in fallAsleep(id, deadline, continuation) }
        } onCancel: {
            wake(id)
        }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.ids += 1
            return state.ids
        }
    }

    /// Changes the sleepers or the time, and resumes those who waited for what there is then.
    private func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, ready) = state.withLock { state in
            let value = body(&state)
            let changed = state
            state.waiting.removeAll(where: changed.isReady)
            return (value, changed.waiting.filter(changed.isReady))
        }
        for watcher in ready { watcher.continuation.resume() }
        return value
    }

    private func fallAsleep(_ id: Int, _ deadline: Instant, _ continuation: CheckedContinuation<Void, any Error>) {
        let early = change { state -> Result<Void, any Error>? in
            if state.cancelled.contains(id) { return .failure(CancellationError()) }
            if deadline <= state.now { return .success(()) }
            state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
            return nil
        }
        if let early { continuation.resume(with: early) }
    }

    private func wake(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                // Cancelled before it fell asleep, or woken already: the first case must be remembered.
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
