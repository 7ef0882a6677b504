internal import SidingSynchronization

/// Lets calls through one at a time, first come first served; a call that is cancelled leaves the line at once.
final class Turnstile: Sendable {
    private struct State {
        var isTaken = false
        var isOpen = false
        var line: [Promise<Bool>] = []
    }

    private let state = Mutex(State())

    /// How many wait for the turn.
    var lineLength: Int { state.withLock { $0.line.count } }

    /// Waits for the turn. Whoever gets it must ``pass()``.
    ///
    /// - Throws: ``Failure/Reason/cancelled``, phase not sent.
    func take() async throws(Failure) {
        guard !Task.isCancelled else { throw Self.left }
        let place = Promise<Bool>()
        let isFree = state.withLock { state in
            guard state.isTaken, !state.isOpen else {
                state.isTaken = true
                return true
            }
            state.line.append(place)
            return false
        }
        if isFree { return }
        guard await place.value(orWhenCancelled: false) else {
            state.withLock { $0.line.removeAll { $0 === place } }
            throw Self.left
        }
    }

    /// Gives the turn to the next in line.
    func pass() {
        state.withLock { state in
            while !state.line.isEmpty {
                // One who has just left takes no turn with it.
                if state.line.removeFirst().settle(true) { return }
            }
            state.isTaken = false
        }
    }

    /// Lets all through who stand in line, and all who come later: there is nothing to wait for here any more.
    func open() {
        state.withLock { state in
            state.isOpen = true
            for place in state.line { place.settle(true) }
            state.line = []
        }
    }

    private static let left = Failure(.cancelled, phase: .notSent, detail: "while it waited for its turn")
}
