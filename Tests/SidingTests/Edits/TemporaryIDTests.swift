// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct TemporaryIDTests {
    private func temporary(_ entry: QueueEntry) throws -> String { try #require(entry.recordKey) }

    @Test func `a created record shows under a temporary id until the origin has made one`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let id = try temporary(create)
        #expect(id == "tmp-\(create.id)")
        #expect(try await bench.shown(id) == #"{"title":"new","id":"\#(id)"}"#)
        #expect(try await bench.pending(id) == 1)
        #expect(try #require(try await bench.claim(create.id)).text == #"{"title":"new"}"#)
    }

    @Test func `the real id takes its place in the transaction that completes the create`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        try await bench.deliver(create, #"{"id":"p7","title":"new"}"#, status: 201)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"new"}"#)
        #expect(try await bench.pending("p7") == 0)
        #expect(try await bench.shown(try temporary(create)) == nil)
        #expect(try await bench.bases().isEmpty)
        #expect(try await bench.entry(create.id).recordKey == "p7")
        #expect(try await bench.events(create) == ["accepted", "claimed", "named", "delivered"])
        try await bench.expectSound()
    }

    @Test func `path, query, body and lane of dependent writes get the real id`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let id = try temporary(create)
        let comment = try await bench.send(
            .post, "/posts/\(id)/comments?of=\(id)", #"{"post":"\#(id)","text":"not \#(id)"}"#, lane: "comments/\(id)")
        #expect(comment.waitsOn == 1)
        #expect(try await bench.claim(comment.id) == nil)
        try await bench.deliver(create, #"{"id":42}"#, status: 201)
        let write = try #require(try await bench.claim(comment.id))
        #expect(write.url.requestTarget == "/posts/42/comments?of=42")
        #expect(write.text == #"{"post":42,"text":"not 42"}"#)
        #expect(write.entry.lane == "comments/42")
        try await bench.expectSound()
    }

    @Test func `a record that waits and names the new one shows its real id`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let child = try await bench.edit(.create, nil, #"{"parent":"\#(try temporary(create))"}"#)
        try await bench.deliver(create, #"{"id":"p7","title":"new"}"#, status: 201)
        let id = try temporary(child)
        #expect(try await bench.shown(id) == #"{"parent":"p7","id":"\#(id)"}"#)
        try await bench.expectSound()
    }

    @Test func `edits of the new record follow it to its real key`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        let update = try await bench.edit(.merge, id, #"{"title":"2"}"#)
        #expect(update.lane == create.lane)
        #expect(try await bench.shown(id) == #"{"title":"2","id":"\#(id)"}"#)
        try await bench.deliver(create, #"{"id":"p7","title":"1","n":1}"#, status: 201)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"2","n":1}"#)
        #expect(try await bench.pending("p7") == 1)
        #expect(try await bench.pending(id) == 0)
        let write = try #require(try await bench.claim(update.id))
        #expect(write.url.path == "/posts/p7")
        #expect(write.entry.lane == "posts/p7")
        try await bench.recordResult(write, .answered(#"{"id":"p7","title":"2","n":2}"#))
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"2","n":2}"#)
        try await bench.expectSound()
    }

    @Test func `a write made after the id is known is sent with it at once`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        try await bench.deliver(create, #"{"id":"p7","title":"1"}"#, status: 201)
        let update = try await bench.edit(.merge, id, #"{"title":"2","self":"\#(id)"}"#)
        #expect(update.recordKey == "p7")
        #expect(update.lane == "posts/p7")
        let write = try #require(try await bench.claim(update.id))
        #expect(write.url.path == "/posts/p7")
        #expect(write.text == #"{"title":"2","self":"p7"}"#)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"2","self":"p7"}"#)
    }

    @Test func `its lane joins the one that the real id has already, behind what stands there`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        let late = try await bench.edit(.merge, id, #"{"title":"2"}"#)
        // Somebody saw the record at the origin before the answer came.
        try await bench.pull(#"[{"id":"p7","title":"1"}]"#)
        let early = try await bench.edit(.merge, "p7", #"{"votes":1}"#)
        let underWay = try #require(try await bench.claim(early.id))
        try await bench.deliver(create, #"{"id":"p7","title":"1"}"#, status: 201)
        try await bench.expectSound()
        #expect(try await bench.claim() == nil)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"2","votes":1}"#)
        try await bench.recordResult(underWay, .answered(""))
        #expect(try await bench.claim()?.entry.id == late.id)
        try await bench.expectSound()
    }

    @Test func `an incoming record that is ahead of the answer makes no second record`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        try await bench.pull(#"[{"id":"p7","title":"1"}]"#)
        try await bench.deliver(create, #"{"id":"p7","title":"1"}"#, status: 201)
        #expect(try await bench.store.count(of: "posts").count == 1)
    }

    @Test func `the id may stand elsewhere in the answer`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#) { edit in
            edit.idPath = try? .init(parsing: "$.data.number")
        }
        try await bench.deliver(create, #"{"data":{"number":9}}"#, status: 201)
        #expect(try await bench.shown("9") == #"{"title":"1","id":9}"#)
    }

    @Test(arguments: ["", "created", "{}", #"{"id":null}"#, #"{"id":""}"#, #"{"id":"."}"#, #"{"id":{}}"#])
    func `an answer without the id parks the dependents, and the record stays as it was sent`(
        answer: String
    ) async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        let comment = try await bench.send(.post, "/posts/\(id)/comments", "{}")
        let done = try await bench.deliver(create, answer, status: 201)
        #expect(done.state == .done)
        #expect(try await bench.shown(id) == #"{"title":"1","id":"\#(id)"}"#)
        #expect(try await bench.pending(id) == 0)
        #expect(try await bench.entry(comment.id).reason == .dependency)
        try await bench.expectSound()
    }

    @Test func `a dropped create removes its record, and its dependents wait for an operator`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        let comment = try await bench.send(.post, "/posts/\(id)/comments", "{}")
        try await bench.drop(create)
        #expect(try await bench.shown(id) == nil)
        #expect(try await bench.bases().isEmpty)
        #expect(try await bench.entry(comment.id).reason == .dependency)
        let kind = try await storeErrorKind { try await bench.send(.post, "/posts/\(id)/comments", "{}") }
        #expect(kind == .invalidWrite)
    }

    @Test func `an operator's edit of a create keeps the temporary id`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        let comment = try await bench.send(.post, "/posts/\(id)/comments", "{}")
        let edited = try await bench.store.replace(create.id, with: WriteChange(body: Array(#"{"title":"2"}"#.utf8)))
        #expect(try await bench.shown(id) == #"{"title":"2","id":"\#(id)"}"#)
        try await bench.deliver(edited, #"{"id":"p7","title":"2"}"#, status: 201)
        #expect(try await bench.claim(comment.id)?.url.path == "/posts/p7/comments")
    }

    @Test func `a caller may name the temporary id before the write is accepted`() async throws {
        let bench = try await EditBench()
        let id = TemporaryID.random()
        let create = try await bench.edit(.create, id, #"{"title":"1"}"#, lane: "own/\(id)")
        #expect(create.recordKey == id)
        let kind = try await storeErrorKind { try await bench.edit(.create, id, #"{"title":"1"}"#) }
        #expect(kind == .invalidWrite)
        try await bench.deliver(create, #"{"id":"p7"}"#, status: 201)
        #expect(try await bench.shown("p7") == #"{"title":"1","id":"p7"}"#)
    }

    @Test func `the same key and request again lead to the entry whose id was rewritten meanwhile`()
        async throws
    {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try temporary(create)
        let body = #"{"post":"\#(id)"}"#
        let comment = try await bench.send(.post, "/posts/\(id)/comments", body, key: "k1")
        try await bench.deliver(create, #"{"id":"p7"}"#, status: 201)
        #expect(try await bench.send(.post, "/posts/\(id)/comments", body, key: "k1").id == comment.id)
        let kind = try await storeErrorKind { try await bench.send(.post, "/posts/\(id)/likes", body, key: "k1") }
        #expect(kind == .invalidWrite)
    }

    @Test func `a watcher of the temporary record sees it replaced by the real one`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let before = try await bench.store.changedKeys(of: "posts", since: 0).revision
        try await bench.deliver(create, #"{"id":"p7","title":"1"}"#, status: 201)
        let changed = try await bench.store.changedKeys(of: "posts", since: before)
        #expect(changed.keys == ["p7", try temporary(create)])
    }

    @Test func `a create whose rewriting fails is completed not at all`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let write = try #require(try await bench.claim(create.id))
        try await bench.sqlite.execute(
            "ALTER TABLE siding_outbox_edits RENAME COLUMN real_id TO gone")
        _ = try? await bench.recordResult(write, .answered(#"{"id":"p7"}"#))
        #expect(try await bench.entry(create.id).state == .sending)
        #expect(try await bench.shown("p7") == nil)
        #expect(try await bench.shown(try temporary(create)) != nil)
    }

    @Test func `temporary ids are found at any place`() {
        let id = TemporaryID.random()
        #expect(TemporaryID.found(in: Array("tmp-ttmp-\(id)x \(id)".utf8)) == [id])
        #expect(TemporaryID.found(in: Array("tmp-short".utf8)).isEmpty)
    }

    @Test(arguments: [
        (#"{"a":"ID","b":["ID","ID"],"c" : "ID" }"#, "7", #"{"a":7,"b":[7,7],"c" : 7 }"#),
        (
            #"{"url":"/posts/ID/x","q":"\"ID\"","ID":"ID","x ID" : 1}"#, "7",
            #"{"url":"/posts/7/x","q":"\"7\"","7":7,"x 7" : 1}"#
        ),
        (#"["ID","a ID"]"#, #""x\u0022y""#, #"["x\u0022y","a x\"y"]"#), ("ID", "7", "7"), (#""ID""#, "7", "7"),
        ("{\"id\":\"ID\"}\n{\"id\":\"ID\"}", "7", "{\"id\":\"7\"}\n{\"id\":\"7\"}"),
        ("parent=ID&of=ID", #""a/b""#, "parent=a/b&of=a/b"),
    ])
    func `in a body the real id replaces the temporary one at every place`(
        body: String, real: String, result: String
    ) throws {
        let id = TemporaryID.random()
        let rewriting = try TemporaryRewriting(from: id, to: JSONDocument(real))
        let rewritten = try #require(rewriting.body(Array(body.replacing("ID", with: id).utf8), [:]))
        #expect(String(decoding: rewritten, as: UTF8.self) == result)
        #expect(rewriting.body(rewritten, [:]) == rewritten)
    }

    @Test func `in a URL and a form the real id is percent-encoded`() throws {
        let id = TemporaryID.random()
        let rewriting = try TemporaryRewriting(from: id, to: JSONDocument(#""a/b c""#))
        let url = try HTTPURL("https://api.example.org/posts/\(id).json;v=1?of=a,\(id)")
        #expect(try rewriting.url(url).requestTarget == "/posts/a%2Fb%20c.json;v=1?of=a,a%2Fb%20c")
        let form = rewriting.body(
            Array("parent=\(id)".utf8), [.contentType: "application/x-www-form-urlencoded; charset=utf-8"])
        #expect(form == Array("parent=a%2Fb%20c".utf8))
    }

    @Test(arguments: ["null", "true", "{}", #""""#, #"".""#, #"".."#])
    func `a value that cannot be an id is refused`(real: String) {
        #expect(throws: (any Error).self) {
            try TemporaryRewriting(from: TemporaryID.random(), to: JSONDocument(real))
        }
    }

    @Test func `a text and a form get the real id as well`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let id = try temporary(create)
        let link = try await bench.send(.post, "/links", #"{"url":"/posts/\#(id)"}"#)
        let form = try await bench.send(.post, "/links", "parent=\(id)")
        try await bench.deliver(create, #"{"id":42}"#, status: 201)
        #expect(try await bench.claim(link.id)?.text == #"{"url":"/posts/42"}"#)
        #expect(try await bench.claim(form.id)?.text == "parent=42")
    }

    /// A temporary id as JSON, a URL or a form may spell it.
    @Test(arguments: [
        (#"{"post":"ID"}"#, #"\u0074mp-REST"#, #"{"post":42}"#),
        (#"{"post":"ID"}"#, #"tmp\u002dREST"#, #"{"post":42}"#),
        (#"{"post":"ID"}"#, #"\u0074\u006D\u0070\u002DREST"#, #"{"post":42}"#),
        (#"{"url":"/posts/ID/x"}"#, #"\u0074mp-REST"#, #"{"url":"/posts/42/x"}"#),
        (#"{"a":"50%2D","ID":"ID","b":"\u0074"}"#, #"tmp%2DREST"#, #"{"a":"50%2D","42":42,"b":"\u0074"}"#),
        ("a=%41&parent=ID&b=%2D", "%74mp-REST", "a=%41&parent=42&b=%2D"), ("parent=ID", "tmp%2dREST", "parent=42"),
    ])
    func `a temporary id is known in other spellings`(body: String, spelling: String, sent: String) async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, "{}")
        let text = body.replacing("ID", with: spelling.replacing("REST", with: try temporary(create).dropFirst(4)))
        let early = try await bench.send(.post, "/links", text, key: "k")
        #expect(early.waitsOn == 1)
        #expect(try await bench.send(.post, "/links", text, key: "k").id == early.id)
        let other = try await bench.send(.post, "/links", "{}")
        let edited = try await bench.store.replace(other.id, with: WriteChange(body: Array(text.utf8)))
        #expect(edited.waitsOn == 1)
        try await bench.deliver(create, #"{"id":42}"#, status: 201)
        let late = try await bench.send(.post, "/links", text)
        for entry in [early, edited, late] { #expect(try await bench.claim(entry.id)?.text == sent) }
    }

    @Test func `a temporary id is known in a URL that escapes it`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, "{}")
        let rest = try temporary(create).dropFirst(4)
        let comment = try await bench.send(.post, "/posts/tmp%2D\(rest)/comments?of=%74mp-\(rest)&q=%2D", "{}")
        #expect(comment.waitsOn == 1)
        try await bench.deliver(create, #"{"id":42}"#, status: 201)
        #expect(try await bench.claim(comment.id)?.url.requestTarget == "/posts/42/comments?of=42&q=%2D")
    }

    @Test func `a body without a temporary id is sent unchanged`() async throws {
        let bench = try await EditBench()
        let rest = TemporaryID.random().dropFirst(4)
        for body in [
            #"{"a":"\\u0074mp-\#(rest)"}"#, #"{"a":"\u0074mp-\#(rest)"}"#, "a=%74mp-\(rest)",
            #"["\u0074mp-","%","\u00"]"#,
            "%74mp-", #"\u0074mp-\"#, "%", #"\"#,
        ] {
            let entry = try await bench.send(.post, "/links", body)
            #expect(entry.waitsOn == 0)
            #expect(try await bench.claim(entry.id)?.text == body)
        }
    }

    @Test func `lanes stay apart where what stands in the one waits for the other`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"p7","title":"1"}]"#)
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let update = try await bench.edit(.merge, try temporary(create), #"{"title":"2"}"#)
        let late = try await bench.edit(.merge, "p7", #"{"votes":1}"#, after: [update.id])
        try await bench.deliver(create, #"{"id":"p7","title":"1"}"#, status: 201)
        try await bench.expectSound()
        let write = try #require(try await bench.claim())
        #expect(write.entry.id == update.id && write.url.path == "/posts/p7")
        try await bench.recordResult(write, .answered(""))
        #expect(try await bench.claim()?.entry.id == late.id)
    }
}
