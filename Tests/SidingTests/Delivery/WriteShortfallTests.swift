// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A success that says of itself that it is not whole: the write is not done without a word.
@Suite struct WriteShortfallTests {
    private static let methods = [HTTPRequest.Method.post, .patch, .put, .delete]

    /// The entry of a write, after this answer to each of its tries.
    private static func end(
        _ answers: ScriptedAnswer..., method: HTTPRequest.Method = .post, isKeyed: Bool = false,
        rules: [FailureRule] = []
    ) async throws -> QueueEntry {
        var bench = try await WriteBench(concurrency: 1)
        bench.sources[0].failureRules = rules
        bench.origin.set("/a", answers)
        let entry = try await bench.enqueue("/a", method, idempotency: isKeyed ? WriteBench.keyed : nil)
        for _ in answers {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(4000))
        }
        return try await bench.entry(entry.id)
    }

    private static func answer(
        _ body: String, _ status: HTTPResponse.Status = .ok, _ field: (String, String)? = nil
    ) throws -> ScriptedAnswer {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let (name, value) = field { fields[try #require(HTTPField.Name(name))] = value }
        return .text(body, status: status, headerFields: fields)
    }

    // MARK: Errors

    /// How origins name an error, what they write there, and around it.
    private static let names = ["error", "errors", "Error", "ERRORS", "exception", "exceptions", "fault"]
    private static let values = [
        #""too many""#, "true", "7", #"{"code":"E1","message":"too many"}"#, #"[{"message":"too many"}]"#,
        #"["too many","too few"]"#,
    ]
    private static let places = [
        #"{ERROR}"#, #"{"ok":false,ERROR}"#, #"{ERROR,"data":null}"#, #"{"items":[],ERROR}"#, #"{"meta":{ERROR}}"#,
        #"{"response":{ERROR}}"#, #"[{ERROR}]"#, "\u{FEFF}" + #"{ERROR}"#,
    ]

    @Test(arguments: names)
    func `an error alone is a refusal, with the message of the origin, at any place`(name: String) async throws {
        let bench = try await WriteBench()
        var entries: [QueueEntry] = []
        for place in Self.places {
            for value in Self.values {
                let path = "/\(entries.count)"
                bench.origin.set(path, try Self.answer(place.replacing("ERROR", with: "\"\(name)\":\(value)")))
                let method = Self.methods[entries.count % Self.methods.count]
                entries.append(try await bench.enqueue(path, method, idempotency: nil))
            }
        }
        for _ in 0..<10 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(4000))
        }
        for entry in entries {
            let left = try await bench.entry(entry.id)
            #expect(left.state == .parked && left.reason == .rejected, "\(entry.url)")
            #expect(left.lastError?.message.contains("\(name) says: ") == true, "\(left.lastError?.message ?? "")")
            #expect(left.lastError?.status == 200)
        }
        #expect(bench.origin.takeRequests().count == entries.count, "none is sent twice")
    }

    @Test(
        arguments: [
            "", "OK", "{}", "[]", "null", "7", #"{"id":7}"#, #"{"id":7,"error":null}"#, #"{"errors":[]}"#,
            #"{"error":false}"#, #"{"error":""}"#, #"{"errors":{}}"#, #"{"errors":0}"#, #"{"error":{"code":0}}"#,
            // What the record itself says.
            #"{"id":7,"status":"partial"}"#, #"{"id":7,"partial":true}"#, #"{"id":7,"incomplete":true}"#,
            #"{"id":7,"failed":3}"#, #"{"failed":3}"#, #"{"key":"k","errorCode":"E1"}"#,
            #"{"id":7,"status":"failed"}"#, #"{"id":7,"failures":["x"]}"#, #"{"succeeded":2,"failed":0}"#,
            #"{"status":"success"}"#, #"{"success":true,"code":0}"#, #"{"errcode":0,"errmsg":"ok"}"#,
            #"{"status":"processing"}"#, #"{"complete":false}"#, #"{"sid":"S","status":"failed","error_code":30007}"#,
            #"{"dag_id":"d","dag_run_id":"r","state":"failed"}"#, #"[{"entity_id":"vacuum.x","state":"error"}]"#,
            #"{"items":[{"id":7,"error":"of one"}]}"#,
            #"{"job":{"error":"of before"}}"#,
            #"{"type":"default","active":true}"#, #"{"status":"rejected"}"#,
            #"{"id":5,"status":"denied","reason":"x"}"#,
            #"{"data":{"type":"jobs","id":"5","attributes":{"status":"failed"}}}"#,
        ], [HTTPResponse.Status.ok, .created])
    func `an answer that only resembles an error is a delivery`(
        body: String, status: HTTPResponse.Status
    ) async throws {
        for method in Self.methods {
            let entry = try await Self.end(try Self.answer(body, status), method: method)
            #expect(entry.state == .done && entry.answerStatus == status.code && !entry.isOnlyAccepted)
        }
    }

    @Test(
        arguments: [
            #"{"success":false,"message":"locked"}"#, #"{"ok":false}"#, #"{"isSuccess":false}"#, #"{"success":0}"#,
            #"{"data":{"success":false}}"#, #"{"succeeded":"no"}"#, #"{"status":"error","message":"no"}"#,
            #"{"status":"fail","data":{"title":"too long"}}"#, #"{"result":"failed"}"#, #"{"has_errors":true}"#,
            #"{"errorCode":"E1","errorMessage":"no"}"#, #"{"errcode":40001,"errmsg":"no"}"#, #"{"statusCode":500}"#,
            #"{"code":404,"msg":"no such row"}"#, #"{"status":false,"message":"no"}"#, #"{"ok":0}"#,
            #"{"code":200,"success":false,"msg":"locked"}"#, #"{"statusCode":200,"status":"error"}"#,
            #"{"stat":"fail"}"#, #"{"request_id":"r1","status":"error"}"#,
            #"{"id":"req-1","success":false,"message":"locked"}"#, #"{"id":7,"ok":false,"msg":"locked"}"#,
            #"{"id":7,"success":false}"#,
            #"{"__type":"x#ValidationException","message":"no"}"#, #"{"d":{"Success":false}}"#,
            #"{"s:Envelope":{"s:Body":{"s:Fault":{"faultstring":"no"}}}}"#, #"{"odata.error":{"message":"no"}}"#,
            #"{"validationErrors":[{"field":"a"}]}"#, #"{"status":"NOK"}"#,
            #"{"name":"ValidationError","error":"title is required"}"#,
            #"{"error":"locked","url":"https://docs.example"}"#,
            #"{"success":false,"message":"locked","href":"/help"}"#, #"{"error":"locked","event_id":"9f","path":"/x"}"#,
        ], methods)
    func `a flag, a state or a code that says that nothing was done is a refusal`(
        body: String, method: HTTPRequest.Method
    ) async throws {
        let entry = try await Self.end(try Self.answer(body), method: method)
        #expect(entry.state == .parked && entry.reason == .rejected, "\(entry.lastError?.message ?? "")")
    }

    @Test func `such members do not count where the request has them`() async throws {
        let bench = try await WriteBench()
        let body =
            #"{"ok":false,"status":"failed","code":500,"run":"x","processed":9,"failed":1,"errorMessage":"full"}"#
        bench.origin.set("/a", try Self.answer(body))
        let entry = try await bench.enqueue("/a", .patch, body: body)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test(
        arguments: [
            (#"{"id":9,"error":"waiting for a runner"}"#, .created, nil),
            (#"{"data":{"id":9,"errors":2}}"#, .created, nil), (#"{"data":{"id":9,"errors":2}}"#, .ok, nil),
            (#"{"id":9,"error":"waiting for a runner"}"#, .ok, "/a/9"),
            (#"{"result":{"id":"x","error":"waiting"}}"#, .ok, nil),
        ] as [(String, HTTPResponse.Status, String?)])
    func `the error of a created record does not count for the write`(
        body: String, status: HTTPResponse.Status, location: String?
    ) async throws {
        let entry = try await Self.end(try Self.answer(body, status, location.map { ("Location", $0) }))
        #expect(entry.state == .done && entry.answerStatus == status.code)
    }

    @Test(
        arguments: [
            (#"{"data":{"error":"no"}}"#, nil), (#"{"data":{"id":null,"error":"no"}}"#, nil),
            (#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#, nil),
            (#"{"id":9,"error":"no"}"#, "/errors/5"), (#"{"error":"no"}"#, "/a/"),
        ] as [(String, String?)])
    func `an error without an object of its own is a refusal`(body: String, location: String?) async throws {
        let entry = try await Self.end(try Self.answer(body, .ok, location.map { ("Location", $0) }))
        #expect(entry.state == .parked && entry.reason == .rejected)
    }

    @Test func `after a lost try an error does not mean that the first one had no effect`() async throws {
        let lost = ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent))
        let entry = try await Self.end(lost, try Self.answer(#"{"error":"exists"}"#), isKeyed: true)
        #expect(entry.state == .parked && entry.reason == .uncertain)
    }

    // MARK: A part

    private static let parts: [(String, HTTPResponse.Status, (String, String)?, String)] = [
        ("{}", .init(code: 207), nil, "207 Multi-Status"), ("", .partialContent, nil, "206 Partial Content"),
        ("<multistatus/>", .init(code: 207), nil, "207 Multi-Status"),
        (#"{"_shards":{"total":2,"failed":1}}"#, .ok, nil, "$._shards.failed is 1"),
        (#"{"_shards":{"failures":[{"shard":1}]}}"#, .created, nil, "$._shards.failures"),
        (#"{"timed_out":true,"updated":3}"#, .ok, nil, "$.timed_out is true"),
        (#"{"meta":{"partial":true}}"#, .ok, nil, "$.meta.partial is true"),
        (#"{"succeeded":3,"failed":1}"#, .ok, nil, "$.failed is 1"), (#"{"failures":["x"]}"#, .ok, nil, "$.failures"),
        (#"{"FailedEntryCount":2}"#, .ok, nil, "$.FailedEntryCount is 2"),
        (#"{"meta":{"status":"partially done"}}"#, .ok, nil, "$.meta.status is"),
        ("{}", .ok, ("X-Result", "partial"), "X-Result is 'partial'"),
    ]

    @Test(arguments: parts)
    func `a write that may have been carried out in part is uncertain`(
        body: String, status: HTTPResponse.Status, field: (String, String)?, words: String
    ) async throws {
        for (method, isKeyed) in [(HTTPRequest.Method.post, false), (.post, true), (.patch, false), (.delete, false)] {
            let entry = try await Self.end(try Self.answer(body, status, field), method: method, isKeyed: isKeyed)
            #expect(entry.state == .parked && entry.reason == .uncertain && entry.mayHaveArrived)
            #expect(entry.lastError?.message.contains(words) == true, "\(entry.lastError?.message ?? "")")
            #expect(entry.lastError?.hint?.contains("do: ignore, on: write") == true)
        }
    }

    // MARK: 202

    @Test(arguments: ["", "{}", #"{"id":7}"#, #"{"job":5,"status":"pending"}"#, "Accepted"], methods)
    func `a write that the origin has accepted is done, and reported as accepted`(
        body: String, method: HTTPRequest.Method
    ) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", try Self.answer(body, .accepted))
        let entry = try await bench.enqueue("/a", method, idempotency: nil)
        let done = try await bench.sender().drain()
        #expect(done.map(\.state) == [.done] && done.map(\.isOnlyAccepted) == [true])
        let last = try #require(try await bench.store.history(of: entry.id).last)
        #expect(last.detail?.contains("carries it out later") == true)
    }

    @Test(arguments: [
        #"{"data":{"id":"p1","succeeded":false,"status":"pending"}}"#, #"{"id":"p1","success":false}"#,
        #"{"meta":{"has_errors":true},"id":"p1"}"#,
    ])
    func `a state of the record that a write made is no sign that it was not made`(body: String) async throws {
        #expect(try await Self.end(try Self.answer(body, .created)).state == .done)
    }

    @Test func `an error counts also in an accepted write`() async throws {
        #expect(try await Self.end(try Self.answer(#"{"error":"no"}"#, .accepted)).reason == .rejected)
    }

    // MARK: Rules

    private static func rule(
        _ path: String, _ action: FailureRule.Action, statuses: Set<Int> = []
    ) throws -> FailureRule {
        let body = FailureRule.Trait(at: try JSONPath(parsing: path, allowsInnerEach: true), .exists(true))
        return try FailureRule(when: .answer(.init(statuses: statuses, body: body)), do: action, on: .write)
    }

    @Test func `a rule takes such an answer for a delivery`() async throws {
        let error = try Self.answer(#"{"errors":["a warning"]}"#)
        #expect(try await Self.end(error, rules: [try Self.rule("$.errors", .ignore)]).state == .done)
        #expect(try await Self.end(error, rules: [try Self.rule("$.error", .ignore)]).reason == .rejected)
        let both = [try Self.rule("$.errors", .ignore), try Self.rule("$.errors", .park)]
        #expect(try await Self.end(error, rules: both).state == .done, "the first one decides")
        #expect(try await Self.end(error, rules: both.reversed()).reason == .rejected)
        let multi = try FailureRule(when: .answer(.init(statuses: [207])), do: .ignore, on: .write)
        #expect(try await Self.end(try Self.answer("{}", .init(code: 207)), rules: [multi]).state == .done)
    }

    @Test func `no rule makes a refusal by status a delivery`() async throws {
        let refusal = try Self.answer(#"{"errors":["no"]}"#, .unprocessableContent)
        #expect(try await Self.end(refusal, rules: [try Self.rule("$.errors", .ignore)]).reason == .rejected)
    }

    @Test func `a rule that sends again comes before the refusal`() async throws {
        let busy = try Self.answer(#"{"errors":[{"code":"BUSY"}]}"#)
        let entry = try await Self.end(
            busy, try Self.answer("{}", .created), rules: [try Self.rule("$.errors[*].code", .retry)])
        #expect(entry.state == .done)
    }
}

// MARK: - Edits

extension WriteShortfallTests {
    private func end(
        _ change: WriteEdit.Change, _ answers: ScriptedAnswer..., adjust: (inout WriteEdit) -> Void = { _ in }
    ) async throws -> (EditBench, QueueEntry) {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","votes":1}]"#)
        let key = change == .create ? nil : "a"
        let body = change == .replace ? #"{"id":"a","title":"new","votes":1}"# : #"{"title":"new"}"#
        let entry = try await bench.edit(change, key, change == .delete ? nil : body, adjust)
        let origin = ScriptedOrigin()
        origin.set(key.map { "/posts/\($0)" } ?? "/posts", answers)
        let sender = try bench.sender(over: origin)
        for _ in 0..<4 {
            _ = try await sender.drain()
            bench.time.advance(by: .seconds(60))
        }
        try await bench.expectSound()
        return (bench, try await bench.entry(entry.id))
    }

    @Test(arguments: [WriteEdit.Change.create, .merge, .replace, .delete])
    func `an edit that is refused with 200 waits for an operator`(change: WriteEdit.Change) async throws {
        let (bench, entry) = try await end(change, try Self.answer(#"{"errors":["the title is taken"]}"#))
        #expect(entry.state == .parked && entry.reason == .rejected)
        #expect(entry.lastError?.message.contains("the title is taken") == true)
        let key = try #require(entry.recordKey)
        #expect(try await bench.pending(key) == 1, "the edit stays")
    }

    @Test(arguments: [
        (WriteEdit.Change.merge, #"{"id":"a","title":"new","errors":["a hint"]}"#, String?.none),
        (.replace, #"{"id":"a","title":"new","partial":true}"#, nil),
        (.create, #"{"id":"p7","title":"new","error":"a hint"}"#, nil),
        (.merge, #"{"post":{"id":"a","title":"new"},"errors":["a hint"]}"#, "post"),
        (.create, #"{"post":{"id":"p7","title":"new"},"warnings":[],"error":"a hint"}"#, "post"),
    ])
    func `an error beside the record concerns a part, as in a listing`(
        change: WriteEdit.Change, answer: String, place: String?
    ) async throws {
        let (_, entry) = try await end(change, try Self.answer(answer)) { edit in
            edit.record = place.map { JSONPath(member: $0) }
        }
        #expect(entry.state == .done)
    }

    @Test func `the id of a created record may stand elsewhere`() async throws {
        let answer = try Self.answer(#"{"meta":{"new_id":"p7"},"errors":["a hint"]}"#, .created)
        let (_, entry) = try await end(.create, answer) { $0.idPath = JSONPath(members: ["meta", "new_id"]) }
        #expect(entry.state == .done)
        let (_, refused) = try await end(.create, try Self.answer(#"{"id":null,"errors":["no"]}"#))
        #expect(refused.reason == .rejected)
    }

    @Test func `a partial write is probed where the record shows it`() async throws {
        let (bench, entry) = try await end(
            .merge, try Self.answer("{}", .init(code: 207)), .text(#"{"id":"a","title":"new","votes":1}"#))
        #expect(entry.state == .done)
        #expect(try await bench.shown("a")?.contains("new") == true)
    }
}
