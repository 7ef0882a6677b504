// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct RecordingTests {
    static let link = HTTPField.Name("Link")!
    static let lost = Failure(.connectionLost, phase: .answered)

    static func request(
        _ method: HTTPRequest.Method = .get, _ text: String = "http://a/p", _ fields: HTTPFields = [:]
    ) throws -> HTTPRequest {
        try HTTPURL(text).request(method, headerFields: fields)
    }

    /// Head, body and what the body ended in: all that a chain can see of a reply.
    struct Seen: Equatable {
        var response: HTTPResponse
        var url: HTTPURL
        var length: Int?
        var bytes: [UInt8] = []
        var ending: Failure.Reason?
    }

    static func see(_ transport: some Transport, _ request: HTTPRequest, _ body: EncodedBody = .none) async throws
        -> Seen
    {
        let reply = try await transport.send(request, body: body)
        var seen = Seen(response: reply.response, url: reply.url, length: reply.body.length)
        do throws(Failure) { for try await chunk in reply.body { seen.bytes += chunk } } catch {
            seen.ending = error.reason
        }
        return seen
    }

    @Test func `a recording replays the same, from the file`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "tape.json")
        var fields: HTTPFields = [.contentType: "text/plain", .eTag: "\"ż\""]
        fields.append(HTTPField(name: Self.link, value: "<http://a/2>; rel=\"next\""))
        fields.append(HTTPField(name: Self.link, value: "<http://a/9>; rel=\"last\""))
        let answers: [ScriptedAnswer] = [
            .text(#"[{"title":"żółw"}]"#), .status(.noContent), .status(.notModified, headerFields: fields),
            .reply(HTTPResponse(status: 404, headerFields: fields), chunks: [[0xFF, 0], [1]]),
            .reply(HTTPResponse(status: .ok), chunks: [[1], [2]], ending: Self.lost),
            .text("again"), .text("and again"),
        ]
        let recorder = RecordingTransport(ScriptedTransport(answers))
        let requests: [(HTTPRequest, EncodedBody)] = [
            (try Self.request(), .none), (try Self.request(.delete), .none),
            (try Self.request(.get, "http://a/%20?b=2&a=1"), .none), (try Self.request(.post), .bytes([1, 0xFE])),
            (try Self.request(.put), .bytes([])), (try Self.request(), .none), (try Self.request(), .none),
        ]
        var recorded: [Seen] = []
        for (request, body) in requests { recorded.append(try await Self.see(recorder, request, body)) }
        try recorder.save(to: path)
        for order in [ReplayingTransport.Order.strict, .any] {
            let replayer = ReplayingTransport(try Tape(contentsOf: path), order: order)
            var replayed: [Seen] = []
            for (request, body) in requests { replayed.append(try await Self.see(replayer, request, body)) }
            #expect(replayed == recorded)
            #expect(replayer.unused.isEmpty)
        }
    }

    @Test(arguments: [
        Failure.Reason.noInternetConnection, .timeout(.tlsHandshake), .cantConnectToHost(.localPolicy),
        .tooLarge(limit: 7), .system(.connect(errno: 111)), .system(.established(errno: 104)),
        .system(.resolver(code: -3)), .system(.unknown("Odd.case")), .cancelled, .internalFault, .redirectRefused,
        .http(HTTPFailure(status: 503, headerFields: [.retryAfter: "3"], body: [0xFF])), .captivePortal,
        .temporaryDNS, .hostNotFound, .tlsUntrusted, .tlsHandshake, .proxyUnreachable, .proxyAuthentication,
        .proxyFault,
        .localResource, .connectionLost, .notProcessed, .protocolViolation, .truncated, .badContent, .contract,
        .invalidRequest, .credentialUnavailable, .waitingForOrigin, .userCode,
    ])
    func `a failure replays with its reason, phase and place`(_ reason: Failure.Reason) async throws {
        let directory = try TemporaryDirectory()
        let failure = Failure(reason, phase: .maybeSent, detail: "said so").at(
            node: "n", method: "GET", url: "http://a/")
        let recorder = RecordingTransport(ScriptedTransport([.failure(failure)]))
        let request = try Self.request()
        await #expect(throws: Failure.self) { try await recorder.send(request, body: .none) }
        try recorder.save(to: directory.path(of: "t"))
        let replayer = ReplayingTransport(try Tape(contentsOf: directory.path(of: "t")))
        let replayed = try #require(
            await #expect(throws: Failure.self) { try await replayer.send(request, body: .none) })
        #expect(replayed.reason == reason)
        #expect(replayed.phase == .maybeSent)
        #expect(replayed.detail == "said so")
        #expect(replayed.node == "n")
        #expect(replayed.method == "GET")
        #expect(replayed.url == "http://a/")
    }

    @Test func `bodies stream through the recorder both ways`() async throws {
        let (chunks, pieces) = (Pieces([[1], [2], [3]]), Pieces([[7], [8]]))
        let recorder = RecordingTransport(PulledTransport(chunks: chunks))
        let upload = EncodedBody.stream(length: 2) { { pieces.next() } }
        let reply = try await recorder.send(Self.request(.post), body: upload)
        #expect(chunks.taken == 0, "the head comes before any of the body")
        #expect(pieces.taken == 2)
        #expect(try await reply.body.next() == [1])
        #expect(chunks.taken == 1, "nothing is read ahead of the reader")
        #expect(recorder.tape.exchanges[0].request.body == Tape.Body([7, 8]))
        guard case .answer(let cut) = recorder.tape.exchanges[0].outcome else {
            Issue.record("no answer")
            return
        }
        #expect(cut.body == Tape.Body([1], isCut: true))
        while try await reply.body.next() != nil {}
        guard case .answer(let whole) = recorder.tape.exchanges[0].outcome else {
            Issue.record("no answer")
            return
        }
        #expect(whole.body == Tape.Body([1, 2, 3]))
    }

    @Test func `an answer that was not read to its end is cut, and replays as cut`() async throws {
        let recorder = RecordingTransport(PulledTransport(chunks: Pieces([[1], [2]])))
        let reply = try await recorder.send(Self.request(), body: .none)
        #expect(try await reply.body.next() == [1])
        let directory = try TemporaryDirectory()
        try recorder.save(to: directory.path(of: "t"))
        let replayer = ReplayingTransport(try Tape(contentsOf: directory.path(of: "t")))
        let seen = try await Self.see(replayer, Self.request())
        #expect(seen.bytes == [1])
        #expect(seen.ending == .truncated)
    }

    @Test func `an upload that did not pass whole is matched by its start`() async throws {
        let refusing = ScriptedTransport { _ in .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)) }
        let recorder = RecordingTransport(UnreadTransport(then: refusing))
        let body = EncodedBody.stream(length: nil) {
            let pieces = Pieces([[7], [8]])
            return { pieces.next() }
        }
        let request = try Self.request(.post)
        await #expect(throws: Failure.self) { try await recorder.send(request, body: body) }
        #expect(recorder.tape.exchanges.first?.request.body == Tape.Body([], isCut: true))
        let replayer = ReplayingTransport(recorder.tape)
        let failure = await #expect(throws: Failure.self) { try await replayer.send(request, body: body) }
        #expect(failure?.reason == .cantConnectToHost(.refused))
    }

    @Test func `an answer from elsewhere replays from there, else from the requested URL`() async throws {
        let elsewhere = try HTTPURL("https://b/moved?token=canary")
        let recorder = RecordingTransport(PulledTransport(chunks: Pieces([]), elsewhere: elsewhere))
        _ = try await Self.see(recorder, Self.request())
        #expect(
            try await Self.see(ReplayingTransport(recorder.tape), Self.request()).url.description
                == "https://b/moved?token=scrubbed")
        let plain = RecordingTransport(ScriptedTransport([.text("x")]))
        _ = try await Self.see(plain, Self.request(.get, "http://a/?token=one"))
        #expect(
            try await Self.see(ReplayingTransport(plain.tape), Self.request(.get, "http://a/?token=other")).url.query
                == "token=other")
    }

    /// Chunks, and how many were taken.
    final class Pieces: Sendable {
        private let counter = Counting()
        private let pieces: [[UInt8]]
        init(_ pieces: [[UInt8]]) { self.pieces = pieces }
        var taken: Int { min(counter.value, pieces.count) }
        func next() -> [UInt8]? {
            let place = counter.next()
            return place < pieces.count ? pieces[place] : nil
        }
    }

    /// Reads the upload whole, then answers with a body that is pulled.
    struct PulledTransport: Transport {
        let chunks: Pieces
        var elsewhere: HTTPURL?
        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            if case .stream(_, let chunks) = body {
                let next = chunks()
                do { while try await next() != nil {} } catch { throw Failure.wrapping(error, phase: .notSent) }
            }
            let (chunks, asked) = (chunks, try request.checkedURL())
            return Reply(
                response: HTTPResponse(status: .ok),
                body: ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in chunks.next() },
                url: elsewhere ?? asked)
        }
    }

    /// Fails before it looks at the body.
    struct UnreadTransport: Transport {
        let then: ScriptedTransport
        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            try await then.send(request, body: .none)
        }
    }
}
