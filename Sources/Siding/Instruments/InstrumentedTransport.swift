// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials

/// The transport of a source: counts each request by the class of its answer, and sends the trace context if the source asks
/// for it.
struct InstrumentedTransport: Transport {
    let wrapped: any Transport
    let source: String
    /// Nil if the source asks for none.
    let traceContext: TraceContext?

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        try await counted { () async throws(Failure) in try await wrapped.send(traced(request), body: body) }
    }

    func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        try await counted { () async throws(Failure) in
            try await wrapped.send(traced(request), body: body, admitting: admit)
        }
    }

    private func traced(_ request: HTTPRequest) -> HTTPRequest { traceContext?.added(to: request) ?? request }

    private func counted(_ send: () async throws(Failure) -> Reply) async throws(Failure) -> Reply {
        do throws(Failure) {
            let reply = try await send()
            Instrument.requests.count(("source", source), ("outcome", "\(reply.response.status.code / 100)xx"))
            return reply
        } catch {
            Instrument.requests.count(("source", source), ("outcome", "failed"))
            throw error
        }
    }
}

extension TransportFactory {
    /// The transport of `source`, whose requests are counted, and traced if the source asks for it.
    func instrumented(for source: Source, in environment: RuntimeEnvironment) -> any Transport {
        InstrumentedTransport(
            wrapped: transport(for: source.name, source.connection), source: source.name,
            traceContext: source.sendsTraceContext
                ? TraceContext(
                    jitter: environment.jitter, logger: environment.logger,
                    secretQueryNames: source.authorization.secretQueryNames) : nil)
    }
}
