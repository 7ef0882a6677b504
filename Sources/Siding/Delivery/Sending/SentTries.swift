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

    /// `transport`, whose requests are noted.
    func noting(_ transport: any Transport) -> any Transport { NotingTransport(transport: transport, tries: self) }

    fileprivate func begin() {
        state.withLock { state in
            if state.isOpen { state.hasLost = true }
            state.isOpen = true
        }
    }

    /// The request has not arrived, or the origin has turned it away.
    fileprivate func end() { state.withLock { $0.isOpen = false } }
}

private struct NotingTransport: Transport {
    let transport: any Transport
    let tries: SentTries

    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        try await noting { () async throws(Failure) in try await transport.send(request, body: body) }
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        try await noting { () async throws(Failure) in
            try await transport.send(request, body: body, admitting: admit)
        }
    }

    private func noting(_ send: () async throws(Failure) -> Reply) async throws(Failure) -> Reply {
        tries.begin()
        do throws(Failure) {
            let reply = try await send()
            if HTTPFailure(status: reply.response.status.code).isTurnedAway { tries.end() }
            return reply
        } catch {
            if error.phase == .notSent { tries.end() }
            throw error
        }
    }
}
