// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

/// Runs `body` with an origin and a transport, and ends both whatever happens.
func asking(
    _ settings: TransportSettings = TransportSettings().with(\.redirectOrigins, nil),
    rateWindow: Duration = .seconds(30),
    compresses: Bool = true,
    handler: @escaping Origin.Handler = { _ in .json(#"{"answer":42}"#) },
    _ body: (Origin, HTTPTransport) async throws -> Void
) async throws {
    let origin = try await Origin.start(compresses: compresses, handler: handler)
    let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings, rateWindow: rateWindow))
    do {
        try await body(origin, transport)
    } catch {
        Issue.record(error)
    }
    await transport.shutdown()
    await origin.stop()
}

extension HTTPTransport {
    /// Sends and reads the whole body.
    @discardableResult
    func ask(
        _ url: HTTPURL, _ method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: EncodedBody = .none
    ) async throws -> (reply: Reply, bytes: [UInt8]) {
        let reply = try await send(url.request(method, headerFields: headerFields), body: body)
        return (reply, try await reply.body.collect(upTo: 1 << 30))
    }

    /// The failure of a request that must fail.
    func failure(
        _ url: HTTPURL, _ method: HTTPRequest.Method = .get, headerFields: HTTPFields = [:], body: EncodedBody = .none,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Failure? {
        do throws(Failure) {
            let reply = try await send(url.request(method, headerFields: headerFields), body: body)
            _ = try await reply.body.collect(upTo: 1 << 30)
            Issue.record("the request succeeded", sourceLocation: sourceLocation)
            return nil
        } catch {
            return error
        }
    }
}

extension Origin {
    /// The URL of `path` here.
    func at(_ path: String) throws -> HTTPURL { try url.resolve(path) }
}
