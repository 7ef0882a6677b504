// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    @Test func `one request after another uses one connection`() async throws {
        try await asking { (origin, transport) async throws in
            for _ in 1...5 { try await transport.ask(origin.url) }
            #expect(Set(origin.requests.map(\.connection)) == [1])
        }
    }

    @Test func `no more connections than allowed are open to an origin, and all requests are answered`() async throws {
        let settings = TransportSettings().with(\.concurrency, 3)
        try await asking(settings) { (origin, transport) async throws in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...40 { group.addTask { try await transport.ask(origin.url).bytes.count } }
                var answers = 0
                for try await count in group where count == 13 { answers += 1 }
                #expect(answers == 40)
            }
            #expect(origin.connectionCount <= 3)
        }
    }

    @Test func `waiting for a connection is not bounded by the connect timeout`() async throws {
        let settings = TransportSettings().with(\.connectTimeout, .seconds(2)).with(\.concurrency, 1)
        try await asking(settings) { (origin, transport) async throws in
            // The first answer takes more than three seconds, whichever of the two gets it.
            origin.inject(.slowBody(bytesPerSecond: 4))
            async let one = transport.ask(origin.url).bytes.count
            async let other = transport.ask(origin.url).bytes.count
            #expect(try await one == 13)
            #expect(try await other == 13)
        }
    }

    @Test func `a request that gets no connection in its budget was not sent`() async throws {
        let settings = TransportSettings().with(\.totalTimeout, .seconds(1)).with(\.concurrency, 1)
        try await asking(settings) { (origin, transport) async throws in
            origin.inject(.hang, times: nil)
            // Whichever comes first holds the only connection until its own budget ends.
            async let one = transport.failure(origin.url)
            async let other = transport.failure(origin.url)
            let failures = [await one, await other]
            #expect(failures.contains { $0?.reason == .timeout(.total) })
            #expect(failures.allSatisfy { $0?.phase == .notSent || $0?.reason == .timeout(.total) })
        }
    }

    @Test func `cancelling before the head ends the call at once and closes the connection`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.hang)
            let call = Task { await transport.failure(origin.url) }
            await origin.received(1)
            let start = ContinuousClock.now
            call.cancel()
            let failure = try #require(await call.value)
            #expect(failure.reason == .cancelled)
            #expect(failure.phase == .maybeSent)
            #expect(ContinuousClock.now - start < .seconds(20))
            await origin.closed(downTo: 0)
        }
    }

    @Test func `a call that is cancelled the instant it arrived is never reported as not sent`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.hang, times: nil)
            for round in 1...150 {
                let call = Task { await transport.failure(origin.url) }
                await origin.received(round)
                call.cancel()
                #expect(await call.value?.phase == .maybeSent)
            }
            await origin.closed(downTo: 0)
        }
    }

    @Test func `cancelling within the body ends the call at once and closes the connection`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.slowBody(bytesPerSecond: 2))
            let reply = try await transport.send(origin.url.request(.get), body: .none)
            let call = Task { () -> Failure? in
                do throws(Failure) {
                    _ = try await reply.body.collect(upTo: 100)
                    return nil
                } catch {
                    return error
                }
            }
            call.cancel()
            let failure = try #require(await call.value)
            #expect(failure.reason == .cancelled)
            #expect(failure.phase == .answered)
            await origin.closed(downTo: 0)
        }
    }

    @Test func `a call that is cancelled beforehand sends nothing`() async throws {
        try await asking { (origin, transport) async throws in
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await transport.failure(origin.url)
            }
            #expect(await call.value?.reason == .cancelled)
        }
    }

    @Test func `breaking off the iteration closes the connection`() async throws {
        let large = OriginResponse(body: [UInt8](repeating: 7, count: 16 << 20))
        try await asking(handler: { _ in large }) { (origin, transport) async throws in
            try await readOneChunk(of: origin, transport)
            await origin.closed(downTo: 0)
            #expect(try await transport.ask(origin.url).bytes.count == 16 << 20, "and the next request has a new one")
        }
    }

    private func readOneChunk(of origin: Origin, _ transport: HTTPTransport) async throws {
        let reply = try await transport.send(origin.url.request(.get), body: .none)
        for try await chunk in reply.body {
            #expect(!chunk.isEmpty)
            break
        }
    }

    @Test func `a transport that was shut down sends nothing more`() async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url)
            await transport.shutdown()
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .cancelled)
            #expect(failure.phase == .notSent)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `a shutdown ends what is under way`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.hang)
            async let failure = transport.failure(origin.url)
            await origin.received(1)
            await transport.shutdown()
            #expect(await failure?.reason == .cancelled)
        }
    }

    @Test func `a transport may be dropped without a shutdown, used or not`() async throws {
        let origin = try await Origin.start { _ in .json("1") }
        _ = HTTPTransport()
        for _ in 1...3 {
            let transport = HTTPTransport()
            #expect(try await transport.ask(origin.url).bytes == [0x31])
        }
        await origin.closed(downTo: 0)
        await origin.stop()
    }
}
