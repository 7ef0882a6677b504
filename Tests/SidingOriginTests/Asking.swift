// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

/// Runs `body` with an origin and a way to ask it, and ends both.
func asking(
    _ routes: [any OriginRoute], compression: TransportSettings.Compression = .never,
    _ body: (Origin, Asker) async throws -> Void
) async throws {
    let origin = try await Origin.start(routes: routes)
    let transport = HTTPTransport(
        HTTPTransportConfiguration(settings: TransportSettings().with(\.compression, compression)))
    do { try await body(origin, Asker(transport: transport, base: origin.url)) } catch { Issue.record(error) }
    await transport.shutdown()
    await origin.stop()
}

struct Answer: Sendable {
    let status: Int
    let headerFields: HTTPFields
    let text: String
}

struct Asker: Sendable {
    let transport: HTTPTransport
    let base: HTTPURL

    func callAsFunction(
        _ reference: String, _ method: HTTPRequest.Method = .get, _ headerFields: HTTPFields = [:], body: String? = nil
    ) async throws -> Answer {
        let url = try base.resolve(reference)
        let content = body.map { EncodedBody.bytes(Array($0.utf8)) } ?? .none
        let reply = try await transport.send(url.request(method, headerFields: headerFields), body: content)
        let bytes = try await reply.body.collect(upTo: 1 << 30)
        return Answer(
            status: reply.response.status.code, headerFields: reply.response.headerFields,
            text: String(decoding: bytes, as: UTF8.self))
    }
}

/// Records `{"id":1}` to `{"id":count}`.
func numbered(_ count: Int) -> Dataset {
    Dataset((1...count).map { Dataset.Record(key: "\($0)", json: #"{"id":\#($0)}"#, stamp: "2024-01-\($0 + 10)") })
}

extension String {
    /// The ids in a body, in order.
    var ids: [Int] {
        split(separator: #""id":"#).dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
    }

    /// What stands behind `member` in a body, up to the next quote.
    func value(of member: String) -> String? {
        guard let range = firstRange(of: "\"\(member)\":\"") else { return nil }
        return String(self[range.upperBound...].prefix { $0 != "\"" })
    }
}
