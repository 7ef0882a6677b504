// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// What a meter counts against what a relay saw pass.
@Suite struct TrafficTests {
    /// 60,000 bytes of JSON that compress well.
    private static let page = "[" + Array(repeating: #"{"a":"bcdef"}"#, count: 4_285).joined(separator: ",") + "]"

    /// Calls `body` with a relay before an origin that answers with ``page``, and with a transport.
    private func through(
        _ settings: TransportSettings = TransportSettings().with(\.compression, .never),
        handler: @escaping Origin.Handler = { _ in .json(Self.page) },
        _ body: (Relay, Origin, HTTPTransport) async throws -> Void
    ) async throws {
        try await asking(settings, handler: handler) { origin, transport in
            let relay = try await Relay.start(to: origin.url)
            try await body(relay, origin, transport)
            await relay.stop()
        }
    }

    private func carried(_ relay: Relay) async -> Int { await relay.traffic.toClient + relay.traffic.toOrigin }

    @Test(arguments: [TransportSettings.Compression.never, .always])
    func `each request counts what passed for it, also on one connection`(
        _ compression: TransportSettings.Compression
    ) async throws {
        try await through(TransportSettings().with(\.compression, compression)) {
            (relay, origin, transport) async throws in
            var counted: [Int] = []
            for path in ["/a", "/longer"] {
                let (meter, url) = (TrafficMeter(), try relay.url.resolve(path))
                let bytes = try await meter.counting { () async throws in try await transport.ask(url).bytes }
                #expect(bytes.count == Self.page.utf8.count)
                counted.append(meter.total)
            }
            #expect(Set(origin.requests.map(\.connection)) == [1])
            #expect(await carried(relay) == counted[0] + counted[1])
            #expect(counted[1] - counted[0] == "/longer".count - "/a".count)
            #expect(compression == .never ? counted[0] > Self.page.utf8.count : counted[0] < Self.page.utf8.count / 10)
        }
    }

    @Test func `sent bytes count, streams as well, and so does a redirect`() async throws {
        let answers: Origin.Handler = { request in
            request.path == "/away"
                ? OriginResponse(status: .found, headerFields: [.location: "/there"]) : .json("{}")
        }
        try await through(handler: answers) { (relay, _, transport) async throws in
            let upload = [UInt8](repeating: 0x78, count: 20_000)
            let stream = EncodedBody.stream(length: upload.count) {
                let left = Mutex([upload])
                return { left.withLock { $0.popLast() } }
            }
            for (path, method, body) in [
                ("/in", HTTPRequest.Method.post, EncodedBody.bytes(upload)), ("/in", .post, stream),
                ("/away", .get, .none),
            ] {
                let (before, meter, url) = (await carried(relay), TrafficMeter(), try relay.url.resolve(path))
                _ = try await meter.counting { () async throws in try await transport.ask(url, method, body: body) }
                #expect(await carried(relay) - before == meter.total, "\(path)")
                #expect(method == .get ? meter.total > 300 : meter.total > upload.count)
            }
        }
    }

    @Test func `an answer that breaks off counts as far as it came`() async throws {
        try await through { (relay, origin, transport) async throws in
            origin.inject(.cutBody(chunked: false))
            let (meter, url) = (TrafficMeter(), try relay.url.resolve("/a"))
            let failure = await meter.counting { () async in await transport.failure(url) }
            #expect(failure?.reason == .truncated)
            #expect(meter.total > 30_000 && meter.total < 31_000)
            #expect(await carried(relay) == meter.total)
        }
    }

    @Test func `a request that found no connection carries nothing`() async throws {
        try await through { (relay, _, transport) async throws in
            await relay.set(.down(.cut))
            let (meter, url) = (TrafficMeter(), try relay.url.resolve("/a"))
            #expect(await meter.counting { () async in await transport.failure(url) }?.phase == .notSent)
            #expect(meter.total == 0)
        }
    }

    @Test func `the origin sees no trace of the meter`() async throws {
        try await through { (relay, origin, transport) async throws in
            let url = try relay.url.resolve("/a")
            try await transport.ask(url)
            try await TrafficMeter().counting { () async throws in _ = try await transport.ask(url) }
            #expect(origin.requests.count == 2)
            #expect(origin.requests[0].headerFields == origin.requests[1].headerFields)
        }
    }

    @Test func `TLS counts with its records, and without its handshake`() async throws {
        let (origin, directory) = (try await TLSOrigin.start(.selfSigned), try TemporaryDirectory())
        try directory.write(TLSOrigin.certificate, to: "ca.pem")
        let relay = try await Relay.start(to: origin.url)
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: .trusting(directory.path(of: "ca.pem"))))
        let meter = TrafficMeter()
        let answer = try await meter.counting { () async throws in try await transport.ask(relay.url) }
        #expect(answer.bytes == Array("ok".utf8))
        #expect(meter.total > 150)
        #expect(await carried(relay) > meter.total)
        await transport.shutdown()
        await relay.stop()
        await origin.stop()
    }
}
