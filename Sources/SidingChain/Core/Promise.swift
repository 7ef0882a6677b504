internal import SidingSynchronization

/// A value that one task waits for and others may give; whoever gives first wins.
///
/// A wait that can be called off is a promise that the cancellation handler settles too: the order in which answer,
/// cancellation and wait come about no longer matters.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    private let state = Mutex(State.open)

    /// Gives the value; false where another was given before, and this one counts for nothing.
    @discardableResult func settle(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .settled: return (false, nil)
            case .open:
                state = .settled(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .settled(value)
                return (true, continuation)
            }
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    /// Waits until the value is given, whatever becomes of the task. For one task only.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let given = state.withLock { state -> Value? in
                if case .settled(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let given { continuation.resume(returning: given) }
        }
    }

    /// Waits until the value is given; a task that is cancelled gets `substitute` at once, unless it came too late.
    ///
    /// - Parameter onCancel: runs where the cancellation won.
    func value(
        orWhenCancelled substitute: Value, onCancel: @escaping @Sendable () -> Void = {}
    ) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            if settle(substitute) { onCancel() }
        }
    }
}
