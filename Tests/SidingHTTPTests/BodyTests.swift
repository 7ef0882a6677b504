// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct BodyTests {
    @Test func `a request without a body has none, not an empty one`() async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url, .get)
            try await transport.ask(origin.url, .delete)
            #expect(origin.requests.allSatisfy { $0.body.isEmpty && $0.headerFields[.contentLength] == nil })
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .get])
    func `bytes arrive unchanged with any method`(_ method: HTTPRequest.Method) async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url, method, body: .bytes(bytes))
            #expect(origin.requests.first?.body == bytes)
            #expect(origin.requests.first?.headerFields[.contentLength] == "100000")
        }
    }

    @Test(arguments: [nil, 3_000_000])
    func `a stream arrives in order, with its length or in chunks`(_ length: Int?) async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url, .post, body: .stream(length: length) { Self.counting(to: 30) })
            let request = try #require(origin.requests.first)
            #expect(request.body == (1...30).flatMap { [UInt8](repeating: $0, count: 100_000) })
            #expect(request.headerFields[.contentLength] == length.map(String.init))
            #expect(request.headerFields[HTTPField.Name("Transfer-Encoding")!] == (length == nil ? "chunked" : nil))
        }
    }

    @Test func `an empty stream is an empty body`() async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url, .post, body: .stream(length: 0) { Self.counting(to: 0) })
            try await transport.ask(origin.url, .post, body: .stream(length: nil) { Self.counting(to: 0) })
            #expect(origin.requests.map(\.body) == [[], []])
        }
    }

    @Test func `an error of the stream is the caller's own`() async throws {
        struct Unreadable: Error {}
        try await asking { (origin, transport) async throws in
            let failure = await transport.failure(
                origin.url, .post, body: .stream(length: nil) { { throw Unreadable() } })
            #expect(failure?.reason == .userCode)
            #expect(failure?.underlying is Unreadable)
            #expect(failure?.phase == .maybeSent)
        }
    }

    @Test(arguments: [50_000, 5_000_000])
    func `a stream with a wrong length is an invalid request`(_ declared: Int) async throws {
        try await asking { (origin, transport) async throws in
            let failure = await transport.failure(
                origin.url, .post, body: .stream(length: declared) { Self.counting(to: 1) })
            #expect(failure?.reason == .invalidRequest)
        }
    }

    @Test func `a stream is made anew for each hop of a redirect`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(307, to: "/there"))
            try await transport.ask(origin.url, .post, body: .stream(length: nil) { Self.counting(to: 2) })
            #expect(origin.requests.map(\.target) == ["/", "/there"])
            #expect(origin.requests.map(\.body.count) == [200_000, 200_000])
        }
    }

    @Test func `a stalled upload ends when the call is cancelled`() async throws {
        try await asking { (origin, transport) async throws in
            let call = Task {
                await transport.failure(
                    origin.url, .post,
                    body: .stream(length: nil) {
                        { () async throws -> [UInt8]? in
                            try await Task.sleep(for: .seconds(3600))
                            return nil
                        }
                    })
            }
            call.cancel()
            #expect(await call.value?.reason == .cancelled)
        }
    }

    @Test func `a HEAD has no body with any declared length`() async throws {
        try await asking { (origin, transport) async throws in
            let (reply, bytes) = try await transport.ask(origin.url, .head)
            #expect(bytes.isEmpty)
            #expect(reply.body.length == 0)
            #expect(reply.response.headerFields[.contentLength] == "13")
        }
    }

    @Test func `a second reader of one body fails`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.slowBody(bytesPerSecond: 20))
            let reply = try await transport.send(origin.url.request(.get), body: .none)
            async let one = Result { try await reply.body.collect(upTo: 100) }
            async let other = Result { try await reply.body.collect(upTo: 100) }
            let failures = await [one, other].compactMap { result -> Failure.Reason? in
                if case .failure(let error) = result { (error as? Failure)?.reason } else { nil }
            }
            #expect(failures == [.internalFault])
        }
    }

    static func counting(to last: Int) -> @Sendable () async throws -> [UInt8]? {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        for number in 0..<last { continuation.yield([UInt8](repeating: UInt8(number + 1), count: 100_000)) }
        continuation.finish()
        return {
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
