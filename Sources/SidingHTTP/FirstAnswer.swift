internal import SidingSynchronization

/// Waits for the first of several answers: that of an event, a timer, or the cancellation of the task that waits.
final class FirstAnswer<Answer: Sendable>: Sendable {
    private struct State {
        var answer: Answer?
        var continuation: CheckedContinuation<Answer, Never>?
    }

    private let state = Mutex(State())

    /// Gives an answer; says whether it is the one that counts.
    @discardableResult
    func settle(_ answer: Answer) -> Bool {
        let (counts, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Answer, Never>?) in
            guard state.answer == nil else { return (false, nil) }
            state.answer = answer
            defer { state.continuation = nil }
            return (true, state.continuation)
        }
        continuation?.resume(returning: answer)
        return counts
    }

    /// The answer that counts. To be asked once.
    func get(ifCancelled: Answer) async -> Answer {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early = state.withLock { state in
                    if state.answer == nil { state.continuation = continuation }
                    return state.answer
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            settle(ifCancelled)
        }
    }
}
