// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingSynchronization

/// The requests that one claim of a write sends: the first one and its inline retries. Tells whether one before the last
/// may have arrived; the last one is judged by the result. Once the sender was told to stop, none begins.
final class SentTries: Sendable {
    private struct State {
        var isOpen = false
        var hasLost = false
        var isStopped = false
    }

    private let state = Mutex(State())

    /// Whether a request before the last may have arrived.
    var hasLost: Bool { state.withLock { $0.hasLost } }

    /// Lets no further request begin that might change something.
    ///
    /// A request that began between this answer and the cancellation would be cancelled on its way: whether it arrived would be
    /// unknown.
    ///
    /// - Returns: whether any request so far may have arrived, or may do so.
    func stop() -> Bool {
        state.withLock { state in
            state.isStopped = true
            return state.isOpen || state.hasLost
        }
    }

    /// `transport`, whose requests are noted.
    func noting(_ transport: any Transport) -> any Transport {
        ObservingTransport(transport) { (request) async throws(Failure) in
            guard self.begin(request) else { throw Failure(.cancelled, phase: .notSent) }
        } after: { _, outcome in
            let hasNotArrived =
                switch outcome {
                case .success(let status): HTTPFailure(status: status.code).isTurnedAway
                case .failure(let failure): failure.phase == .notSent
                }
            if hasNotArrived { self.end() }
        }
    }

    private func begin(_ request: HTTPRequest) -> Bool {
        state.withLock { state in
            if state.isStopped, ![.get, .head].contains(request.method) { return false }
            if state.isOpen { state.hasLost = true }
            state.isOpen = true
            return true
        }
    }

    /// The request has not arrived, or the origin has turned it away.
    private func end() { state.withLock { $0.isOpen = false } }
}
