// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct ScrubbingTests {
    static let own = HTTPField.Name("X-Own-Secret")!
    static let key = HTTPField.Name("X-Api-Key")!
    static let scrubber = TapeScrubber(headerNames: [own], queryNames: ["Mine"]) { bytes, _ in
        Array(String(decoding: bytes, as: UTF8.self).replacing("canary", with: "bird").utf8)
    }

    @Test func `no secret is anywhere in the file, which is the user's alone`() async throws {
        let fields: HTTPFields = [
            .setCookie: "session=canary", Self.key: "canary",
            .location: "https://u:canary@b/?token=canary#access_token=canary",
            RecordingTests.link:
                "<http://a/?page=2&api_key=canary>; rel=\"next\", <http://a/?mine=canary>; rel=\"last\"",
            Self.own: "canary", .contentLength: "20",
        ]
        let broken = Failure(.connectionLost, phase: .answered, detail: "of http://x:canary@a/?sig=canary end").at(
            url: "http://a/?password=canary")
        let refused = Failure(
            .http(HTTPFailure(status: 401, headerFields: [.setCookie: "canary"], body: Array("canary".utf8))),
            phase: .answered,
            detail: "http://a/?k%65y=canary")
        let recorder = RecordingTransport(
            ScriptedTransport([
                .reply(HTTPResponse(status: .ok, headerFields: fields), chunks: [Array(#"{"token":"canary"}!!"#.utf8)]),
                .reply(HTTPResponse(status: .ok), chunks: [[1]], ending: broken), .failure(refused), .text("[]"),
            ]), scrubber: Self.scrubber)
        let asked: HTTPFields = [
            .authorization: "Bearer canary", .cookie: "a=canary", .proxyAuthorization: "Basic canary",
            Self.key: "canary",
            Self.own: "canary", .accept: "application/json", HTTPField.Name("X-Unknown")!: "canary",
        ]
        let url = "http://a/p?x=1&to%6ben=canary&MINE=canary?canary&back=http%3A%2F%2Fb%2F%3Fsecret%3Dcanary"
        let form = EncodedBody.bytes(Array("user=u&password=can%61ry".utf8))
        _ = try await RecordingTests.see(
            recorder, RecordingTests.request(.post, url, asked), .bytes(Array("canary".utf8)))
        _ = try await RecordingTests.see(recorder, RecordingTests.request())
        await #expect(throws: Failure.self) { try await recorder.send(RecordingTests.request(), body: .none) }
        _ = try await RecordingTests.see(
            recorder, RecordingTests.request(.post, "http://a/", [.contentType: "application/x-www-form-urlencoded"]),
            form)
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "tape.json")
        try recorder.save(to: path)
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        #expect(!text.contains("canary"))
        #expect(!text.contains("can%61ry"))
        #expect(text.contains("user=u&password=scrubbed"))
        #expect(text.contains("application/json"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["tape.json"])
    }

    @Test func `the secrets of a replayed call do not matter, all else does`() async throws {
        let recorder = RecordingTransport(
            ScriptedTransport([.text("one"), .text(#"{"token":"canary"}"#)]), scrubber: Self.scrubber)
        _ = try await RecordingTests.see(recorder, RecordingTests.request(.get, "http://a/?mine=canary&x=1"))
        _ = try await RecordingTests.see(recorder, RecordingTests.request(.post), .bytes(Array("a canary".utf8)))
        let replayer = ReplayingTransport(recorder.tape, scrubber: Self.scrubber)
        await #expect(throws: Failure.self) {
            try await replayer.send(RecordingTests.request(.get, "http://a/?mine=other&x=2"), body: .none)
        }
        let one = try await RecordingTests.see(
            replayer, RecordingTests.request(.get, "http://a/?mine=other&x=1", [.authorization: "Bearer other"]))
        #expect(one.bytes == Array("one".utf8))
        let two = try await RecordingTests.see(replayer, RecordingTests.request(.post), .bytes(Array("a bird".utf8)))
        #expect(two.bytes == Array(#"{"token":"scrubbed"}"#.utf8))
        #expect(two.length == two.bytes.count, "the length is that of the scrubbed body")
    }

    @Test func `user information of a request that no transport takes is not kept either`() async throws {
        let recorder = RecordingTransport(ScriptedTransport([]))
        let request = HTTPRequest(method: .get, scheme: "http", authority: "u:canary@a", path: "/p")
        await #expect(throws: Failure.self) { try await recorder.send(request, body: .none) }
        #expect(recorder.tape.exchanges.map(\.request.url) == ["http://scrubbed@a/p"])
    }

    @Test func `the tokens of JSON bodies are taken out unasked, and other bodies are left byte for byte`() async throws
    {
        let answer = #"{"access_token":"canary","data":[{"refreshToken":"canary","id": 1,"token":7}],"code":"x"}"#
        let recorder = RecordingTransport(ScriptedTransport([.text(answer), .text(#"{"id": 1.0, "a":null}"#)]))
        let asked = EncodedBody.bytes(Array(#"{"client_secret":"canary","grant":"g"}"#.utf8))
        let url = try HTTPURL("http://a/token")
        for _ in 0..<2 {
            _ = try await recorder.send(url.request(.post, headerFields: [:]), body: asked).body.collect(upTo: 1 << 20)
        }
        let tape = recorder.tape
        #expect(!"\(tape)".contains("canary"))
        let bodies = tape.exchanges.map { exchange -> String in
            guard case .answer(let answer) = exchange.outcome else { return "" }
            return String(decoding: answer.body.bytes, as: UTF8.self)
        }
        #expect(
            bodies == [
                #"{"access_token":"scrubbed","data":[{"refreshToken":"scrubbed","id":1,"token":"scrubbed"}],"code":"x"}"#,
                #"{"id": 1.0, "a":null}"#,
            ])
    }
}
