// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// The requests that one claim of a write sends: the first one and its inline retries. Tells whether one before the last
/// may have arrived; the last one is judged by the result.
final class SentTries: Sendable {
    private struct State {
        var isOpen = false
        var hasLost = false
    }

    private let state = Mutex(State())

    /// Whether a request before the last may have arrived.
    var hasLost: Bool { state.withLock { $0.hasLost } }

    /// Whether any request so far may have arrived, or may do so.
    var mayArrive: Bool { state.withLock { $0.isOpen || $0.hasLost } }

    /// `transport`, whose requests are noted.
    func noting(_ transport: any Transport) -> any Transport {
        ObservingTransport(transport) { _ in
            self.begin()
        } after: { _, outcome in
            let hasNotArrived =
                switch outcome {
                case .success(let status): HTTPFailure(status: status.code).isTurnedAway
                case .failure(let failure): failure.phase == .notSent
                }
            if hasNotArrived { self.end() }
        }
    }

    private func begin() {
        state.withLock { state in
            if state.isOpen { state.hasLost = true }
            state.isOpen = true
        }
    }

    /// The request has not arrived, or the origin has turned it away.
    private func end() { state.withLock { $0.isOpen = false } }
}
