// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import NIOCore
public import SidingChain

/// Sends requests with AsyncHTTPClient, within the limits of its configuration.
///
/// Each transport has its own client and connections, so that credentials never share a connection: use one per source. The
/// client starts with the first request. The transport never retries, keeps no cookies, and follows redirects by the rules of
/// `TransportSettings.redirects`, not the library's.
///
/// The limit `TransportSettings.totalTimeout` includes waiting for a connection, every redirect, the head and the body; a
/// `ReplyBody` ends at the limit even if nobody reads it. Dropping a reply or its iterator before the end closes its
/// connection.
public final class HTTPTransport: Transport {
    private let configuration: HTTPTransportConfiguration
    private let clients: ClientPool
    private let slots: ConnectionSlots

    /// - Parameters:
    ///   - configuration: timeouts, limits and the like.
    ///   - eventLoopGroup: the threads on which connections run; nil, the default, for one thread that all transports of
    ///     the process share. The caller keeps the group running until ``shutdown()`` has returned.
    public init(
        _ configuration: HTTPTransportConfiguration = HTTPTransportConfiguration(),
        eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.configuration = configuration
        self.clients = ClientPool(configuration.settings, group: eventLoopGroup)
        self.slots = ConnectionSlots(limit: configuration.settings.concurrency)
    }

    /// Ends requests in flight with `Failure.Reason.cancelled`; later sends fail the same way.
    ///
    /// A transport that is only released shuts down by itself in the background.
    public func shutdown() async {
        await clients.shutdown()
    }

    /// Sends `request` and returns when the head of the response has arrived; the body streams.
    ///
    /// - Throws: a `Failure` with its phase: `Failure.Phase.notSent` until the head of the request was sent,
    ///   `Failure.Phase.answered` once the head of a response has arrived.
    public func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        try await send(request, body: body) { _ in }
    }

    public func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        let settings = configuration.settings
        var hop = try CheckedRequest(request, body: body, settings: settings)
        var redirects = Redirects(from: hop, settings)
        // A timer of no time would race with a fast answer.
        guard settings.totalTimeout > .zero else { throw Failure(.timeout(.total), phase: .notSent) }
        let deadline = NIODeadline.now() + TimeAmount(bounded: settings.totalTimeout)
        while true {
            let client = try await clients.client(for: hop.url)
            let exchange = try await exchange(with: hop.url, on: client, until: deadline)
            let head: ResponseHead
            do throws(Failure) {
                head = try await Upload(hop, over: exchange, on: client, until: deadline).head()
            } catch {
                throw await explained(error, hop.url, client, until: deadline)
            }
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

    /// The failure, with what its proxy answers where that is open and there is time to ask.
    private func explained(
        _ failure: Failure, _ url: HTTPURL, _ client: RunningClient, until deadline: NIODeadline
    ) async -> Failure {
        let settings = configuration.settings
        let limit = min(TimeAmount(bounded: settings.connectTimeout), .seconds(1))
        guard let proxy = client.proxy, NIODeadline.now() + limit < deadline else { return failure }
        let address = try? settings.interface.map(Interface.address)
        return await ProxyProbe(proxy: proxy, origin: url, loop: client.loop, address: address, limit: limit)
            .explained(failure)
    }

    private func exchange(
        with url: HTTPURL, on client: RunningClient, until deadline: NIODeadline
    ) async throws(Failure) -> Exchange {
        let slot = try await slots.acquire(url.origin, on: client.loop, until: deadline)
        return Exchange(
            limit: configuration.settings.maxBody, isSecure: url.scheme == "https", client: client, slot: slot)
    }

    private func reply(
        to hop: CheckedRequest, _ head: ResponseHead, _ exchange: Exchange
    ) throws(Failure) -> Reply {
        let settings = configuration.settings
        let framing = BodyFraming(head, method: hop.method)
        guard framing.isReadable else {
            let name = (head.response.headerFields[.contentEncoding] ?? "").filter(\.isASCII).prefix(60)
            throw Failure(
                .badContent, phase: .answered, detail: "its Content-Encoding is '\(name)', which was not asked for")
        }
        let reader = BodyReader(
            exchange, length: framing.length, limit: settings.maxBody,
            pace: Pace(bytesPerSecond: settings.minimumRate, window: configuration.rateWindow))
        let body = ReplyBody(length: framing.length) { () async throws(Failure) -> [UInt8]? in try await reader.next() }
        return Reply(response: head.response, body: body, url: hop.url)
    }
}
