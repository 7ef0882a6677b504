// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

/// Whose meter the bytes of a connection are counted for.
@Suite(.timeLimit(.minutes(5))) struct WireCounterTests {
    @Test func `unmetered requests do not count for the meter, over one connection`() async throws {
        let origin = try await Origin.start { _ in .json("{}") }
        let (transport, meter) = (HTTPTransport(), TrafficMeter())
        let body = EncodedBody.bytes([UInt8](repeating: 7, count: 50_000))
        try await transport.ask(origin.url, .post, body: body)
        _ = try await meter.counting { () async throws in try await transport.ask(origin.url, .post, body: body) }
        try await transport.ask(origin.url, .post, body: body)
        #expect((50_000...51_000).contains(meter.total))
        #expect(Set(origin.requests.map(\.connection)) == [1])
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `two requests at a time are each counted for their own meter`() async throws {
        let page = "[\"" + String(repeating: "x", count: 99_996) + "\"]"
        let origin = try await Origin.start { $0.target == "/large" ? .json(page) : .json("{}") }
        let transport = HTTPTransport(
            HTTPTransportConfiguration(settings: TransportSettings().with(\.compression, .never)))
        let (large, small) = (TrafficMeter(), TrafficMeter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (meter, path) in [(large, "/large"), (small, "/small")] {
                group.addTask {
                    let url = try origin.at(path)
                    try await meter.counting { () async throws in
                        for _ in 1...10 { try await transport.ask(url) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1_000_000...1_010_000).contains(large.total))
        #expect((1_000...10_000).contains(small.total))
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `the mark by which a request is counted is never sent, and no proxy sees it`() async throws {
        let (origin, proxy) = (try RawOrigin(), try await ConnectProxy.start())
        let settings = TransportSettings().with(\.allowsPlainHTTP, true).with(\.proxies, try proxy.rules())
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        let url = try HTTPURL("http://a.example:\(origin.url.port)/")
        _ = try await TrafficMeter().counting { () async throws in try await transport.ask(url) }
        #expect(!String(decoding: await origin.received(), as: UTF8.self).lowercased().contains("meter"))
        #expect(proxy.heads.count == 1)
        #expect(!proxy.heads[0].lowercased().contains("meter"))
        await transport.shutdown()
        await proxy.stop()
    }
}
