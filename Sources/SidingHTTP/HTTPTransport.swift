public import HTTPTypes
internal import NIOCore
public import SidingChain

/// Carries requests over AsyncHTTPClient, within the bounds of its configuration.
///
/// Each transport has a client and connections of its own, so that credentials never share a connection: use one per
/// source. The client begins with the first request; all transports of a process share one thread. Nothing is tried twice in here, no cookies are
/// kept, and redirects follow the rules of ``Redirects``, not the library's.
///
/// The budget of ``SidingChain/TransportSettings/totalTimeout`` covers waiting for a connection, every redirect, the
/// head and the body; a ``SidingChain/ReplyBody`` ends with it even when nobody reads. Dropping a reply or its iterator
/// before the end closes its connection.
public final class HTTPTransport: Transport {
    private let configuration: HTTPTransportConfiguration
    private let client: LazyClient
    private let slots: ConnectionSlots

    public init(_ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration()) {
        self.configuration = configuration
        self.client = LazyClient(configuration)
        self.slots = ConnectionSlots(limit: configuration.settings.concurrency)
    }

    /// Ends what is under way as ``SidingChain/Failure/Reason/cancelled``; a later send fails likewise.
    ///
    /// A transport that is merely dropped shuts down by itself, without anyone waiting for it.
    public func shutdown() async {
        await client.shutdown()
    }

    /// Sends `request` and returns with the head of the answer; the body streams.
    ///
    /// - Throws: ``SidingChain/Failure`` with the phase that was reached: ``SidingChain/Failure/Phase/notSent`` until the
    ///   head of the request went out, ``SidingChain/Failure/Phase/answered`` once the head of an answer came.
    public func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        try await send(request, body: body) { _ in }
    }

    public func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply {
        let settings = configuration.settings
        var hop = try CheckedRequest(request, body: body, settings: settings)
        var redirects = Redirects(from: hop, limit: settings.redirects)
        let client = try client.running()
        let deadline = NIODeadline.now() + TimeAmount(bounded: settings.totalTimeout)
        while true {
            let exchange = try await exchange(with: hop.url, on: client, until: deadline)
            let head = try await Upload(hop, over: exchange, on: client, until: deadline).head()
            do throws(Failure) {
                guard let next = try redirects.next(after: hop, head) else { return try reply(to: hop, head, exchange) }
                await exchange.discard(upTo: 65_536)
                try await admit(next.url)
                hop = next
            } catch {
                exchange.abort(error.reason)
                throw error
            }
        }
    }

    private func exchange(
        with url: HTTPURL, on client: RunningClient, until deadline: NIODeadline
    ) async throws(Failure) -> Exchange {
        let slot = try await slots.acquire(url.origin, on: client.loop, until: deadline)
        return Exchange(limit: configuration.settings.maxBody, isSecure: url.scheme == "https", slot: slot)
    }

    private func reply(
        to hop: CheckedRequest, _ head: ResponseHead, _ exchange: Exchange
    ) throws(Failure) -> Reply {
        let settings = configuration.settings
        let framing = BodyFraming(head, method: hop.method)
        guard framing.isReadable else {
            throw Failure(.badContent, phase: .answered, detail: "its Content-Encoding is not one that was asked for")
        }
        let reader = BodyReader(
            exchange, length: framing.length, limit: settings.maxBody,
            pace: Pace(bytesPerSecond: settings.minimumRate, window: configuration.rateWindow))
        let body = ReplyBody(length: framing.length) { () async throws(Failure) -> [UInt8]? in try await reader.next() }
        return Reply(response: head.response, body: body, url: hop.url)
    }
}
