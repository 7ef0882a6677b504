/// A value that one task waits for and others may give; the first value given counts.
///
/// A wait that can be cancelled is a promise that the cancellation handler settles too, so that the order of answer,
/// cancellation and wait does not matter.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case settled(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Gives the value; false where another one was given before.
    @discardableResult package func settle(_ value: Value) -> Bool {
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

    /// Waits for the value, also in a cancelled task. Only one task may wait.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let given = state.withLock { state -> Value? in
                if case .settled(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let given { continuation.resume(returning: given) }
        }
    }

    /// Waits for the value; a task that is cancelled before gets `substitute` at once.
    ///
    /// - Parameter onCancel: runs where the cancellation came first.
    package func value(
        orWhenCancelled substitute: Value, onCancel: @escaping @Sendable () -> Void = {}
    ) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            if settle(substitute) { onCancel() }
        }
    }
}
