internal import SidingSynchronization

/// A gate within one process: who came first goes first.
public final class InMemoryRefreshGate: RefreshGate {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private struct State {
        var ids = 0
        /// The accounts that are being refreshed, each with those who wait for their turn.
        var lines: [String: [(id: Int, turn: Turn)]] = [:]
        /// Those who were cancelled before they stood in line.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    public init() {}

    public func withRefresh<Value: Sendable>(
        of account: String, _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard await enter(account) else { throw Failure(.cancelled, phase: .notSent) }
        defer { leave(account) }
        return try await body()
    }

    /// Waits for this caller's turn; false when it was cancelled meanwhile.
    private func enter(_ account: String) async -> Bool {
        let id = state.withLock { state in
            state.ids += 1
            return state.ids
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { stand(id, account, $0) }
        } onCancel: {
            stepOut(id, account)
        }
    }

    private func stand(_ id: Int, _ account: String, _ turn: Turn) {
        let isTurn = state.withLock { state -> Bool? in
            if state.cancelled.contains(id) { return false }
            guard state.lines[account] != nil else {
                state.lines[account] = []
                return true
            }
            state.lines[account]?.append((id, turn))
            return nil
        }
        if let isTurn { turn.resume(returning: isTurn) }
    }

    private func stepOut(_ id: Int, _ account: String) {
        let turn = state.withLock { state -> Turn? in
            guard let index = state.lines[account]?.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.lines[account]?.remove(at: index).turn
        }
        turn?.resume(returning: false)
    }

    private func leave(_ account: String) {
        let next = state.withLock { state -> Turn? in
            guard state.lines[account]?.isEmpty == false else {
                state.lines[account] = nil
                return nil
            }
            return state.lines[account]?.removeFirst().turn
        }
        next?.resume(returning: true)
    }
}
