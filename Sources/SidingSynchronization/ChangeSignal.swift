// SPDX-License-Identifier: Apache-2.0
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

    /// The number of fires; read it before the records, then pass it to ``wait(past:)``.
    package var count: UInt64 { state.withLock { $0.count } }

    /// The number of waiting tasks.
    package var waiters: Int { state.withLock { $0.waiting.count } }

    /// Wakes all waiting tasks.
    package func fire() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the signal has fired more than `count` times, or the task is cancelled.
    package func wait(past count: UInt64) async {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    // The cancellation handler may have run already: do not suspend then.
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
