// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// A point that calls wait at until a test lets them through; once open it stays so.
final class Gatepost: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var ids = 0
    }

    private let state = Mutex(State())

    /// Lets everyone through from now on.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open, or the task is cancelled.
    func pass() async {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThrough = state.withLock { state in
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isThrough { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
