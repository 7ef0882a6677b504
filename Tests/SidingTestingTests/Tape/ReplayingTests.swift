// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct ReplayingTests {
    static func tape(_ paths: String...) -> Tape {
        Tape(
            exchanges: paths.map { path in
                Tape.Exchange(
                    request: Tape.Request(method: "GET", url: "http://a\(path)"),
                    outcome: .answer(Tape.Answer(status: 200, body: Tape.Body(Array(path.utf8)))))
            })
    }

    static func ask(_ transport: ReplayingTransport, _ path: String, _ body: EncodedBody = .none) async -> Try<String> {
        await Try(attemptedIn: .notSent) {
            let seen = try await RecordingTests.see(transport, RecordingTests.request(.get, "http://a\(path)"), body)
            return String(decoding: seen.bytes, as: UTF8.self)
        }
    }

    static func refusal(_ outcome: Try<String>) -> Failure? {
        if case .failure(let failure) = outcome { failure } else { nil }
    }

    @Test func `in any order each exchange answers once, and the rest is known`() async throws {
        let transport = ReplayingTransport(Self.tape("/1", "/2", "/1"))
        #expect(try await Self.ask(transport, "/2").get() == "/2")
        #expect(try await Self.ask(transport, "/1").get() == "/1")
        #expect(transport.unused.map(\.request.url) == ["http://a/1"])
        #expect(try await Self.ask(transport, "/1").get() == "/1")
        #expect(transport.unused.isEmpty)
        let failure = Self.refusal(await Self.ask(transport, "/1"))
        #expect(failure?.detail == "the tape has no exchange left; the request was GET http://a/1")
    }

    @Test func `in strict order only the next answers`() async throws {
        let transport = ReplayingTransport(Self.tape("/1", "/2"), order: .strict)
        let failure = Self.refusal(await Self.ask(transport, "/2"))
        #expect(
            failure?.detail
                == "the next request of the tape is GET http://a/1; the request was GET http://a/2; "
                + "left: GET http://a/1, GET http://a/2"
        )
        #expect(try await Self.ask(transport, "/1").get() == "/1")
        #expect(try await Self.ask(transport, "/2").get() == "/2")
    }

    @Test func `a request without a match is reported with the rest of the tape`() async throws {
        let transport = ReplayingTransport(Self.tape("/1", "/2", "/3", "/4", "/5"))
        let failure = try #require(Self.refusal(await Self.ask(transport, "/9?token=canary")))
        #expect(failure.reason == .internalFault)
        #expect(failure.phase == .notSent)
        #expect(failure.method == "GET")
        #expect(failure.url == "http://a/9?token=scrubbed")
        #expect(
            failure.detail
                == "the tape has no such exchange left; the request was GET http://a/9?token=scrubbed; left: "
                + "GET http://a/1, GET http://a/2, GET http://a/3 and 2 more")
        let body = Self.refusal(await Self.ask(transport, "/1", .bytes([1, 2])))
        #expect(
            body?.detail?.hasPrefix(
                "the tape has it with another body only; the request was GET http://a/1 with 2 bytes")
                == true)
        #expect(
            Self.refusal(await Self.ask(transport, "/1", .bytes([])))?.reason == .internalFault, "empty is not none")
        #expect(transport.unused.count == 5, "what did not match is not used up")
    }

    @Test func `a tape of a newer version is refused with that reason`() throws {
        let failure = try Self.refused(#"{"format":"siding-tape","version":2,"exchanges":"otherwise"}"#)
        #expect(
            failure.hasSuffix(
                "it is of version 2, and versions up to 1 are read here; update Siding, or record it anew"))
    }

    @Test(arguments: [
        (#"{"log":{}}"#, "it is not a tape: its `format` is not \"siding-tape\""), ("", "it is damaged"),
        ("[1", "it is damaged"),
        (#"{"format":"siding-tape","exchanges":[]}"#, "it is damaged"),
        (
            #"{"format":"siding-tape","version":1,"exchanges":[{"request":{"method":"GET","url":"http://a","headerFields":[]},"failure":{"reason":"odd","phase":"answered"}}]}"#,
            "at $.exchanges[0].failure.reason: no reason of a failure is named 'odd'"
        ),
        (
            #"{"format":"siding-tape","version":1,"exchanges":[{"request":{"method":"GET","url":"http://a","headerFields":[{"name":"a b","value":""}]}}]}"#,
            "at $.exchanges[0].request.headerFields: no header name"
        ),
        (
            #"{"format":"siding-tape","version":1,"exchanges":[{"request":{"method":"GET","url":"http://a","headerFields":[]},"answer":{"status":2,"headerFields":[],"body":{"text":""}}}]}"#,
            "at $.exchanges[0].answer.status: no HTTP status"
        ),
    ])
    func `a file that is not a whole tape is refused with its place`(_ text: String, _ words: String) throws {
        #expect(try Self.refused(text).contains(words))
    }

    @Test func `a missing tape is reported with the remedy`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "none.json")
        let error = #expect(throws: TapeError.self) { try Tape(contentsOf: path) }
        #expect(error?.description.contains("record it first") == true)
        let unwritable = #expect(throws: TapeError.self) { try Tape().write(to: directory.path(of: "no/tape.json")) }
        #expect(unwritable?.description.hasSuffix("it cannot be written: No such file or directory") == true)
    }

    @Test func `a version one file reads as documented`() async throws {
        let text = #"""
            {"format":"siding-tape","version":1,"later":true,"exchanges":[
              {"request":{"method":"POST","url":"http://a/","headerFields":[],"body":{"text":"{}"}},
               "answer":{"status":201,"headerFields":[{"name":"ETag","value":"e"}],"body":{"base64":"/w=="},"length":1}},
              {"request":{"method":"GET","url":"http://a/","headerFields":[]},
               "failure":{"reason":"timeout","stage":"response","phase":"maybe_sent"}}]}
            """#
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "t")
        let transport = ReplayingTransport(try Tape(contentsOf: directory.path(of: "t")), order: .strict)
        let seen = try await RecordingTests.see(
            transport, RecordingTests.request(.post, "http://a"), .bytes(Array("{}".utf8)))
        #expect(seen.bytes == [0xFF])
        #expect(seen.length == 1)
        #expect(seen.response == HTTPResponse(status: .created, headerFields: [.eTag: "e"]))
        #expect(Self.refusal(await Self.ask(transport, ""))?.reason == .timeout(.response))
    }

    @Test func `an answer may stand in a tape as the JSON that it is`() async throws {
        let text = #"""
            {"format":"siding-tape","version":1,"comment":"made by hand","exchanges":[
              {"request":{"method":"GET","url":"http://a/","headerFields":[]},
               "answer":{"status":200,"headerFields":[],"body":{"json":[
                 {"id":9007199254740993,"at":"1/2 \u00e9","ok":true,"none":null,"price":1.5,"in":{"b":[],"a":0}}]}}}]}
            """#
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "t")
        let transport = ReplayingTransport(try Tape(contentsOf: directory.path(of: "t")))
        #expect(
            try await Self.ask(transport, "").get()
                == #"[{"at":"1/2 é","id":9007199254740993,"in":{"a":0,"b":[]},"none":null,"ok":true,"price":1.5}]"#)
    }

    static func refused(_ text: String) throws -> String {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "t")
        let error = #expect(throws: TapeError.self) { try Tape(contentsOf: directory.path(of: "t")) }
        return error?.description ?? ""
    }
}
