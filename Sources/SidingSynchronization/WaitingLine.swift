/// Lets callers through one at a time, first come, first served; a cancelled caller leaves the line at once.
package final class WaitingLine: Sendable {
    private struct State {
        var isTaken = false
        var isOpen = false
        var waiting: [Promise<Bool>] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of waiting callers.
    package var count: Int { state.withLock { $0.waiting.count } }

    /// Waits for the turn. Returns true if the caller has it and must call ``pass()``, false if its task was cancelled.
    package func take() async -> Bool {
        guard !Task.isCancelled else { return false }
        let place = Promise<Bool>()
        let isFree = state.withLock { state in
            guard state.isTaken, !state.isOpen else {
                state.isTaken = true
                return true
            }
            state.waiting.append(place)
            return false
        }
        if isFree { return true }
        if await place.value(orWhenCancelled: false) { return true }
        state.withLock { $0.waiting.removeAll { $0 === place } }
        return false
    }

    /// Passes the turn to the next caller in line.
    package func pass() {
        state.withLock { state in
            while !state.waiting.isEmpty {
                // A cancelled caller cannot take the turn.
                if state.waiting.removeFirst().resolve(true) { return }
            }
            state.isTaken = false
        }
    }

    /// Lets everybody through from now on, including waiting callers.
    package func open() {
        state.withLock { state in
            state.isOpen = true
            for place in state.waiting { place.resolve(true) }
            state.waiting = []
        }
    }
}
