internal import SidingSynchronization

/// One refresh that runs, and those who wait for its outcome.
///
/// Whoever is cancelled leaves at once, and the others wait on. The refresh is none of theirs: where the last one has left,
/// it goes on for a while by itself, as the token that is on its way has taken the old one's place at the origin.
final class SharedRefresh: Sendable {
    typealias Outcome = Result<Credential, Failure>
    /// Of one who waits; nil is for who was cancelled.
    private typealias Seat = Promise<Outcome?>

    private struct State {
        /// Those who want the outcome.
        var seats: [ObjectIdentifier: Seat] = [:]
        /// Those who only want it to be over.
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

    /// Waits until it is over, whatever becomes of the task. Nobody keeps a refresh alive by this.
    func ended() async {
        let end = Promise<Void>()
        let isOver = state.withLock { state in
            if state.outcome == nil { state.bystanders.append(end) }
            return state.outcome != nil
        }
        if !isOver { await end.value() }
    }

    /// Ends the refresh: everyone who waits is told.
    func finish(_ outcome: Outcome, isGivenUp: Bool = false) {
        let (seats, bystanders) = state.withLock { state in
            state.outcome = outcome
            state.isGivenUp = isGivenUp
            defer { (state.seats, state.bystanders) = ([:], []) }
            return (state.seats.values, state.bystanders)
        }
        for seat in seats { seat.settle(outcome) }
        for bystander in bystanders { bystander.settle(()) }
        abandonments.continuation.finish()
    }

    /// Returns when nobody has waited for the outcome for as long as `grace`, or the task is cancelled. For one caller.
    func abandoned(for grace: Duration, clock: any Clock<Duration>) async {
        for await _ in abandonments.stream {
            do { try await clock.sleep(for: grace) } catch { return }
            if isAbandoned { return }
        }
    }

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
