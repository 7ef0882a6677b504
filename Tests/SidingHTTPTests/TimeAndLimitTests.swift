// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite(.timeLimit(.minutes(5))) struct TimeAndLimitTests {
    /// Enough time that a request is sent, and its answer begins, on a busy machine too.
    private static let patient = TransportSettings().with(\.totalTimeout, .seconds(3))
    private static let patientWithSilence = TransportSettings().with(\.idleTimeout, .seconds(3))

    @Test func `a trickling body ends with the budget, collected or iterated`() async throws {
        try await asking(Self.patient) { (origin, transport) async throws in
            origin.inject(.slowBody(bytesPerSecond: 1), times: 2)
            try await withThrowingTaskGroup { group in
                for iterates in [false, true] {
                    group.addTask {
                        let start = ContinuousClock.now
                        let reply = try await transport.send(origin.url.request(.get), body: .none)
                        let failure = await #expect(throws: Failure.self) {
                            if iterates {
                                for try await _ in reply.body {}
                            } else {
                                _ = try await reply.body.collect(upTo: 100)
                            }
                        }
                        #expect(failure?.reason == .timeout(.total))
                        #expect(failure?.phase == .answered)
                        #expect((Duration.seconds(2.9)..<Duration.seconds(10)).contains(ContinuousClock.now - start))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `an origin that hangs ends with the budget, perhaps sent`() async throws {
        try await asking(Self.patient) { (origin, transport) async throws in
            origin.inject(.hang)
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .timeout(.total))
            #expect(failure.phase == .maybeSent)
        }
    }

    @Test func `silence for longer than the idle time ends the request`() async throws {
        try await asking(Self.patientWithSilence) { (origin, transport) async throws in
            origin.inject(.hang)
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .timeout(.response))
            #expect(failure.phase == .maybeSent)
        }
    }

    @Test func `silence within a body ends the request, answered`() async throws {
        try await asking(Self.patientWithSilence) { (origin, transport) async throws in
            origin.inject(.stallBody)
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .timeout(.response))
            #expect(failure.phase == .answered)
        }
    }

    @Test func `an answer below the minimum rate is given up`() async throws {
        let body = OriginResponse(body: [UInt8](repeating: 7, count: 500))
        try await asking(rateWindow: .milliseconds(300), handler: { _ in body }) { (origin, transport) async throws in
            origin.inject(.slowBody(bytesPerSecond: 20))
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .timeout(.minimumRate))
            #expect(failure.phase == .answered)
        }
        // `min_rate: 10B` in the config. The body lasts longer than the window, and comes twenty times as fast as it must.
        let slow = TransportSettings().with(\.minimumRate, 10)
        try await asking(slow, rateWindow: .seconds(2), handler: { _ in body }) { (origin, transport) async throws in
            origin.inject(.slowBody(bytesPerSecond: 200))
            #expect(try await transport.ask(origin.url).bytes.count == 500)
        }
    }

    @Test func `an unread body ends with the budget and gives its connection back`() async throws {
        let large = OriginResponse(body: [UInt8](repeating: 7, count: 16 << 20))
        try await asking(Self.patient, handler: { _ in large }) { (origin, transport) async throws in
            let reply = try await transport.send(origin.url.request(.get), body: .none)
            await origin.closed(downTo: 0)
            await #expect(throws: Failure.self) { try await reply.body.collect(upTo: 1 << 30) }
        }
    }

    @Test func `huge and negative durations are legal`() async throws {
        let settings = TransportSettings()
            .with(\.connectTimeout, .seconds(Int64.max))
            .with(\.idleTimeout, .seconds(Int64.max))
            .with(\.totalTimeout, .seconds(Int64.max))
        try await asking(settings) { (origin, transport) async throws in
            #expect(try await transport.ask(origin.url).reply.response.status == .ok)
        }
        try await asking(TransportSettings().with(\.totalTimeout, .seconds(-1))) { (origin, transport) async throws in
            #expect(await transport.failure(origin.url)?.reason == .timeout(.total))
        }
    }

    @Test(arguments: [100, 101])
    func `a body of the limit is taken and one byte more is not`(_ size: Int) async throws {
        let answer = OriginResponse(body: [UInt8](repeating: 1, count: size))
        try await asking(TransportSettings().with(\.maxBody, 100), handler: { _ in answer }) {
            (origin, transport) async throws in
            if size == 100 {
                #expect(try await transport.ask(origin.url).bytes == answer.body)
            } else {
                let failure = try #require(await transport.failure(origin.url))
                #expect(failure.reason == .tooLarge(limit: 100))
                #expect(failure.phase == .answered)
            }
        }
    }

    @Test func `repetitive JSON is decompressed at any ratio`() async throws {
        let text = String(repeating: #"{"a":1},"#, count: 50_000)
        let settings = TransportSettings().with(\.compression, .always)
        try await asking(settings, handler: { _ in .json(text) }) { (origin, transport) async throws in
            let (reply, bytes) = try await transport.ask(origin.url)
            #expect(reply.response.headerFields[.contentEncoding] == "gzip")
            #expect(reply.body.length == nil)
            #expect(bytes == Array(text.utf8))
        }
    }

    @Test func `gzip is not requested over loopback unless wanted`() async throws {
        let cases: [(TransportSettings.Compression, String)] = [
            (.automatic, "identity"), (.never, "identity"), (.always, "gzip"),
        ]
        for (compression, expected) in cases {
            try await asking(TransportSettings().with(\.compression, compression)) { (origin, transport) async throws in
                try await transport.ask(origin.url)
                #expect(origin.requests.first?.headerFields[.acceptEncoding] == expected)
            }
        }
    }

    @Test func `a large body arrives whole`() async throws {
        let block = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let large = OriginResponse(body: [[UInt8]](repeating: block, count: 8_000).flatMap { $0 })
        try await asking(handler: { _ in large }) { (origin, transport) async throws in
            let bytes = try await transport.ask(origin.url).bytes
            #expect(bytes == large.body)
        }
    }
}
