// SPDX-License-Identifier: Apache-2.0
/// A value that one task waits for and others may set; the first value wins.
///
/// For a cancellable wait, the cancellation handler resolves the promise too, so that the order of result, cancellation and wait
/// does not matter.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case resolved(Value)
    }

    private let state = Mutex(State.open)

    package init() {}

    /// Sets the value; false if it was set before.
    @discardableResult package func resolve(_ value: Value) -> Bool {
        let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
            switch state {
            case .resolved: return (false, nil)
            case .open:
                state = .resolved(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .resolved(value)
                return (true, continuation)
            }
        }
        waiter?.resume(returning: value)
        return isFirst
    }

    /// Waits for the value, even in a cancelled task. Only one task may wait.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let given = state.withLock { state -> Value? in
                if case .resolved(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let given { continuation.resume(returning: given) }
        }
    }

    /// Waits for the value; if the task is cancelled first, returns `substitute` at once.
    ///
    /// - Parameter onCancel: runs if the cancellation came first.
    package func value(
        orWhenCancelled substitute: Value, onCancel: @escaping @Sendable () -> Void = {}
    ) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            if resolve(substitute) { onCancel() }
        }
    }
}
