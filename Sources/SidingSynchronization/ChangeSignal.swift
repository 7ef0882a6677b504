/// Wakes those who wait for something to change, as soon as whoever changed it fires the signal.
///
/// It works within one process: what another process changes does not fire it.
package final class ChangeSignal: Sendable {
    private struct State {
        var count: UInt64 = 0
        var ids: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// How often it was fired; take it before looking, and hand it to ``wait(past:)``.
    package var count: UInt64 { state.withLock { $0.count } }

    /// How many wait now.
    package var waiters: Int { state.withLock { $0.waiting.count } }

    /// Wakes everyone.
    package func fire() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it was fired more often than `count`, or the task is cancelled.
    package func wait(past count: UInt64) async {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    // The handler may have run already: a cancelled task must not fall asleep.
                    guard state.count <= count, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
