// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct OriginTests {
    @Test func `requests are kept as they came, in order, with their connection`() async throws {
        try await asking([]) { (origin, ask) async throws in
            _ = try await ask("/a?x=%C5%BC+1&y", .post, [.accept: "z"], body: "body")
            _ = try await ask("/b")
            let requests = origin.requests
            #expect(requests.map(\.method) == ["POST", "GET"])
            #expect(requests.map(\.order) == [1, 2])
            #expect(requests.map(\.connection) == [1, 1])
            #expect(requests[0].path == "/a")
            #expect(requests[0].query == ["x": "ż 1", "y": ""])
            #expect(requests[0].headerFields[.accept] == "z")
            #expect(requests[0].body == Array("body".utf8))
            origin.forgetRequests()
            _ = try await ask("/c")
            #expect(origin.requests.map(\.order) == [3])
        }
    }

    @Test func `a stopped origin refuses and a restarted one answers at the same place`() async throws {
        try await asking([RecordListing("/list", of: numbered(1))]) { (origin, ask) async throws in
            for _ in 1...3 {
                #expect(try await ask("/list").status == 200)
                await origin.stop()
                // The first may still take the old connection, whose end it has not seen.
                _ = try? await ask("/list")
                let failure = await #expect(throws: Failure.self) { try await ask("/list") }
                #expect(failure?.phase == .notSent)
                #expect(origin.openConnectionCount == 0)
                try await origin.restart()
            }
        }
    }

    @Test func `an origin answers on a listening socket, and no socket is made for an unusable address`() async throws {
        let origin = try await Origin.start(on: ListeningSocket(at: "127.0.0.1")) { _ in .json("{}") }
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: TransportSettings()))
        #expect(try await Asker(transport: transport, base: origin.url)("/a").text == "{}")
        await transport.shutdown()
        await origin.stop()
        // The second is kept for documentation, and no machine has it (RFC 5737).
        for place in ["localhost", "192.0.2.1"] {
            #expect(throws: (any Error).self, "\(place)") { try ListeningSocket(at: place) }
        }
    }

    @Test func `a route may act and then spoil its own answer`() async throws {
        let acted = Counter(start: 0)
        let origin = try await Origin.start { _ in
            acted.advance(1)
            var answer = OriginResponse.json("{}")
            answer.fault = .closeBeforeHead
            return answer
        }
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: TransportSettings()))
        let ask = Asker(transport: transport, base: origin.url)
        let failure = await #expect(throws: Failure.self) { try await ask("/a", .post) }
        #expect(failure?.phase == .maybeSent)
        #expect(acted.value == 1)
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a fault happens at the given place, time and number`() async throws {
        try await asking([RecordListing("/list", of: numbered(1))]) { (origin, ask) async throws in
            origin.inject(
                .status(418), at: OriginPattern(method: "GET", path: "/li*", query: ["p": "2"]), skipping: 1, times: 2)
            var statuses: [Int] = []
            for reference in ["/list?p=2", "/list?p=1", "/list?p=2", "/list?p=2&q=1", "/list?p=2"] {
                statuses.append(try await ask(reference).status)
            }
            #expect(statuses == [200, 200, 418, 418, 200])
        }
    }

    @Test func `a fault without an end lasts until it is removed`() async throws {
        try await asking([RecordListing("/list", of: numbered(1))]) { (origin, ask) async throws in
            let first = origin.inject(.status(500), times: nil)
            origin.inject(.status(502), times: nil)
            #expect(try await ask("/list").status == 500)
            #expect(try await ask("/list").status == 500)
            origin.lift(first)
            #expect(try await ask("/list").status == 502)
            origin.lift()
            #expect(try await ask("/list").status == 200)
        }
    }

    @Test func `answers of the origin's own making are as described`() async throws {
        try await asking([RecordListing("/list", of: numbered(9))]) { (origin, ask) async throws in
            origin.inject(.status(503, retryAfter: "7"))
            #expect(try await ask("/list").headerFields[.retryAfter] == "7")
            origin.inject(.notJSON)
            #expect(try await ask("/list").headerFields[.contentType] == "text/html")
            origin.inject(.wrongJSON)
            let half = try await ask("/list").text
            #expect(half.hasPrefix("[{") && !half.hasSuffix("]"))
            origin.inject(.content(type: "text/csv", body: Array("a,b".utf8)))
            #expect(try await ask("/list").text == "a,b")
            origin.inject(.redirect(302, to: "/list?page=1"))
            #expect(try await ask("/list").text.ids == Array(1...9))
        }
    }

    @Test func `a bomb holds the given number of bytes`() async throws {
        try await asking([]) { (origin, ask) async throws in
            origin.inject(.gzipBomb(size: (4 << 20) + 7))
            #expect(try await ask("/").text.utf8.count == (4 << 20) + 7)
        }
    }

    @Test func `a route that knows no answer leaves it to the next`() async throws {
        let (one, other) = (RecordListing("/one", of: numbered(1)), RecordListing("/two", of: numbered(2)))
        try await asking([one, other]) { (origin, ask) async throws in
            #expect(try await ask("/two").text.ids == [1, 2])
            #expect(try await ask("/three").status == 404)
        }
    }
}
