// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// Something that happens once, and for which any number of tasks may wait.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// It happened; later calls change nothing.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it has happened.
    ///
    /// - Throws: `CancellationError` where the task is cancelled first.
    func wait() async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard !state.isOpen, !Task.isCancelled else { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
    }
}

/// A value that is there from some moment on.
final class Promise<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)
    private let latch = Latch()

    func fulfil(_ value: Value) {
        stored.withLock { $0 = value }
        latch.open()
    }

    func value() async throws -> Value {
        try await latch.wait()
        guard let value = stored.withLock({ $0 }) else { throw CancellationError() }
        return value
    }
}
