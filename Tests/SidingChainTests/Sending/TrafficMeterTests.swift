// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct TrafficMeterTests {
    private func request() throws -> HTTPRequest { try HTTPURL("http://a.test/x").request(.get) }

    @Test func `a meter counts the calls in it, and those around it count each byte once`() async throws {
        let (run, request) = (TrafficMeter(), try request())
        let transport = CarryingTransport()
        let pages = try await run.counting { () async throws -> [Int] in
            _ = try await transport.send(request, body: .none)
            var pages: [Int] = []
            for count in 1...2 {
                let page = TrafficMeter()
                try await page.counting { () async throws in
                    for _ in 1...count {
                        let attempt = TrafficMeter()
                        _ = try await attempt.counting { () async throws in
                            try await transport.send(request, body: .none)
                        }
                        #expect(attempt.total == 100)
                    }
                }
                pages.append(page.total)
            }
            return pages
        }
        #expect(pages == [100, 200])
        #expect(run.total == 400)
        #expect(TrafficMeter.current == nil)
    }

    @Test func `tasks of a call count for its meter`() async throws {
        let (meter, request) = (TrafficMeter(), try request())
        let transport = CarryingTransport()
        await meter.counting { () async in
            async let one = try? transport.send(request, body: .none)
            async let two = Task { try? await transport.send(request, body: .none) }.value
            _ = await (one, two)
        }
        #expect(meter.total == 200)
    }

    @Test func `a body that is read later counts for the meter of its request`() async throws {
        let (first, second, request) = (TrafficMeter(), TrafficMeter(), try request())
        let transport = CarryingTransport([.init(chunks: [7, 8])])
        let reply = try await first.counting { () async throws in try await transport.send(request, body: .none) }
        #expect(first.total == 100)
        _ = try await second.counting { () async throws in try await reply.body.collect(upTo: 100) }
        #expect(first.total == 115)
        #expect(second.total == 0)
    }

    @Test func `a call that fails has counted what passed, and its error comes through`() async throws {
        let (meter, request) = (TrafficMeter(), try request())
        let transport = CarryingTransport([.init(status: nil, ending: Failure(.connectionLost, phase: .maybeSent))])
        let failure = await #expect(throws: Failure.self) {
            try await meter.counting { () async throws in try await transport.send(request, body: .none) }
        }
        #expect(failure?.reason == .connectionLost)
        #expect(meter.total == 100)
    }
}
