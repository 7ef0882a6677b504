// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// One running refresh and the calls that wait for its outcome.
///
/// A cancelled caller leaves at once, and the others keep waiting. The refresh belongs to no caller: when the last one has
/// left, it continues for a while, because the origin has already replaced the old token with the one on its way.
final class SharedRefresh: Sendable {
    typealias Outcome = Result<Credential, Failure>
    /// The promise of one waiting caller; nil if the caller was cancelled.
    private typealias Seat = Promise<Outcome?>

    private struct State {
        /// Callers that wait for the outcome.
        var seats: [ObjectIdentifier: Seat] = [:]
        /// Callers that wait only for the end.
        var bystanders: [Promise<Void>] = []
        var outcome: Outcome?
        var isGivenUp = false
    }

    private let state = Mutex(State())
    private let abandonments = AsyncStream<Void>.makeStream()

    /// Waits for the outcome.
    ///
    /// - Throws: the refresh's failure; ``Failure/Reason/cancelled`` as soon as the task is cancelled.
    func credential() async throws(Failure) -> Credential {
        let seat = Seat()
        let known = state.withLock { state in
            if state.outcome == nil { state.seats[ObjectIdentifier(seat)] = seat }
            return state.outcome
        }
        if let known { return try known.get() }
        guard let outcome = await seat.value(orWhenCancelled: nil, onCancel: { self.leave(seat) }) else {
            throw Failure(.cancelled, phase: .notSent)
        }
        return try outcome.get()
    }

    /// Waits until the refresh is over, even if the task is cancelled. Does not keep the refresh alive.
    func ended() async {
        let end = Promise<Void>()
        let isOver = state.withLock { state in
            if state.outcome == nil { state.bystanders.append(end) }
            return state.outcome != nil
        }
        if !isOver { await end.value() }
    }

    /// Ends the refresh and resumes everyone who waits.
    func finish(_ outcome: Outcome, isGivenUp: Bool = false) {
        let (seats, bystanders) = state.withLock { state in
            state.outcome = outcome
            state.isGivenUp = isGivenUp
            defer { (state.seats, state.bystanders) = ([:], []) }
            return (state.seats.values, state.bystanders)
        }
        for seat in seats { seat.resolve(outcome) }
        for bystander in bystanders { bystander.resolve(()) }
        abandonments.continuation.finish()
    }

    /// Returns when nobody has waited for the outcome for `grace`, or when the task is cancelled. For one caller only.
    func abandoned(for grace: Duration, clock: any Clock<Duration>) async {
        for await _ in abandonments.stream {
            do { try await clock.sleep(for: grace) } catch { return }
            if isAbandoned { return }
        }
    }

    /// The number of calls that wait for the outcome.
    var waitingCalls: Int { state.withLock { $0.seats.count } }

    /// Whether it was ended because nobody waited any more.
    var wasGivenUp: Bool { state.withLock { $0.isGivenUp } }

    private var isAbandoned: Bool { state.withLock { $0.outcome == nil && $0.seats.isEmpty } }

    private func leave(_ seat: Seat) {
        let isLast = state.withLock { state in
            state.seats.removeValue(forKey: ObjectIdentifier(seat)) != nil && state.seats.isEmpty
        }
        if isLast { abandonments.continuation.yield() }
    }
}
