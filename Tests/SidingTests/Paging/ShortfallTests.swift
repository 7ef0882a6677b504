// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// An answer that says of itself that it is not whole is no evidence of missing records.
@Suite struct ShortfallTests {
    /// Fourteen of the fifteen records.
    private static let most = 1...14

    private static func bench() async throws -> EngineBench {
        var bench = try await ListingEndTests.bench()
        bench.resource.records = try JSONPath(parsing: "$.items")
        return bench
    }

    @Test(arguments: [
        (#"{"timed_out":true,"items":ITEMS}"#, "$.timed_out is true"),
        (#"{"timedOut":true,"items":ITEMS}"#, "$.timedOut is true"),
        (#"{"items":ITEMS,"meta":{"timed_out":"true"}}"#, "$.meta.timed_out is"),
        (#"{"items":ITEMS,"terminated_early":true}"#, "$.terminated_early is true"),
        (#"{"incomplete_results":true,"items":ITEMS}"#, "$.incomplete_results is true"),
        (#"{"items":ITEMS,"_shards":{"total":5,"successful":4,"failed":1}}"#, "$._shards.failed is 1"),
        (#"{"items":ITEMS,"meta":{"failed":2}}"#, "$.meta.failed is 2"),
        (#"{"items":ITEMS,"_shards":{"failures":[{"shard":0,"reason":"gone"}]}}"#, "$._shards.failures"),
        (#"{"items":ITEMS,"meta":{"isPartial":true}}"#, "$.meta.isPartial is true"),
        (#"{"items":ITEMS,"status":"partial"}"#, "$.status is 'partial'"),
        (#"{"items":ITEMS,"meta":{"result":"PARTIAL_CONTENT"}}"#, "$.meta.result is 'PARTIAL_CONTENT'"),
        (#"{"items":ITEMS,"response":{"state":"partially complete"}}"#, "$.response.state is"),
        (#"{"items":ITEMS,"meta":{"message":"partial results: 1 shard failed"}}"#, "$.meta.message is"),
        (#"{"items":ITEMS,"meta":{"warning":"Partial"}}"#, "$.meta.warning is 'Partial'"),
        (#"{"message":"partial result","items":ITEMS}"#, "$.message is 'partial result'"),
        (#"{"items":ITEMS,"statusText":"Partial: two of five shards failed"}"#, "$.statusText is"),
        (#"{"items":ITEMS,"warnings":["The list is only partial, as a shard failed"]}"#, "$.warnings[0] is"),
        (
            #"{"items":ITEMS,"warnings":[{"message":"this is a partial response of one region"}]}"#,
            "$.warnings[0].mess"
        ),
        (#"{"items":ITEMS,"meta":{"reason":"the index could only be read partially"}}"#, "$.meta.reason is"),
        (#"{"items":ITEMS,"timed_out":1}"#, "$.timed_out is 1"),
        (#"{"items":ITEMS,"meta":{"timedOut":"1"}}"#, "$.meta.timedOut is '1'"),
        (#"{"items":ITEMS,"meta":{"is_partial":1}}"#, "$.meta.is_partial is 1"),
        (#"{"items":ITEMS,"failures":["x"]}"#, "$.failures[0] is 'x'"),
        (#"{"failures":[{"shard":0,"reason":"gone"}],"items":ITEMS}"#, "$.failures[0].reason is 'gone'"),
        (#"{"success":false,"items":ITEMS}"#, "$.success is false"),
        (#"{"items":ITEMS,"ok":"false"}"#, "$.ok is 'false'"),
        (#"{"items":ITEMS,"meta":{"isSuccess":0}}"#, "$.meta.isSuccess is 0"),
        (#"{"jobComplete":false,"items":ITEMS}"#, "$.jobComplete is false"),
        (#"{"items":ITEMS,"has_errors":true}"#, "$.has_errors is true"),
        (#"{"meta":{"complete":false},"items":ITEMS}"#, "$.meta.complete is false"),
        (#"{"items":ITEMS,"partialResults":"omitted"}"#, "$.partialResults is 'omitted'"),
        (#"{"items":ITEMS,"failedShards":1}"#, "$.failedShards is 1"),
        (#"{"items":ITEMS,"_clusters":{"total":2,"skipped":1}}"#, "$._clusters.skipped is 1"),
        (#"{"items":ITEMS,"warnings":[{"code":"PARTIAL_RESULTS"}]}"#, "$.warnings[0].code is"),
        (#"{"items":ITEMS,"meta":{"warnings":[{"type":"PARTIAL_RESULT"}]}}"#, "$.meta.warnings[0].type is"),
        (#"{"items":ITEMS,"messages":[{"text":"Partial result: one shard"}]}"#, "$.messages[0].text is"),
        (#"{"items":ITEMS,"unreachable":["regions/eu-2"]}"#, "$.unreachable[0] is 'regions/eu-2'"),
        (#"{"items":ITEMS,"errors":[{"message":"shard 2 is down"}]}"#, "$.errors says: shard 2 is down"),
        (#"{"items":ITEMS,"meta":{"error":{"message":"3 are left out"}}}"#, "$.meta.error says: 3 are left out"),
        (#"{"items":ITEMS,"errors":[{"status":"504","detail":"shard 3 is slow"}]}"#, "says: shard 3 is slow"),
        (#"{"items":ITEMS,"partialFailureError":{"code":3,"message":"x"}}"#, "$.partialFailureError.code is 3"),
        (#"{"items":ITEMS,"UnprocessedKeys":{"T":{"Keys":[{"Id":"1"}]}}}"#, "$.UnprocessedKeys.T.Keys[0].Id is '1'"),
        (#"{"items":ITEMS,"unavailable_regions":["eu-1"]}"#, "$.unavailable_regions[0] is 'eu-1'"),
        (#"{"items":ITEMS,"request_status":{"type":"incomplete"}}"#, "$.request_status.type is 'incomplete'"),
        (#"{"items":ITEMS,"meta":{"degraded":true}}"#, "$.meta.degraded is true"),
        (#"{"items":ITEMS,"remark":"runtime error: Query timed out at line 3"}"#, "$.remark is"),
    ])
    func `a sign in the body that the answer is not whole makes the listing incomplete`(
        _ envelope: String, _ words: String
    ) async throws {
        try await ListingEndTests.expectIncomplete(
            ListingEndTests.answer(envelope, Self.most), Self.bench(), because: words)
    }

    @Test(arguments: [
        (#"{"items":[],"error":{"code":"RATE_LIMITED","message":"too many"}}"#, "RATE_LIMITED, too many"),
        (#"{"items":[],"error":"try later"}"#, "$.error says: try later"),
        (#"{"items":[],"status":"processing"}"#, "$.status is 'processing'"),
        (#"{"items":[],"errors":[{"message":"try later"}]}"#, "$.errors says: try later"),
        (#"{"items":[],"errors":["a","b"]}"#, "$.errors says: a, b"),
        (#"{"items":[],"error":true}"#, "$.error says: true"),
        (#"{"items":[],"Error":{"Message":"no"}}"#, "$.Error says: no"),
        (#"{"items":[],"meta":{"error":"no"}}"#, "$.meta.error says: no"),
        (#"{"items":[],"exception":{"type":"timeout"}}"#, "$.exception says: timeout"),
        (#"{"items":[],"err":"no"}"#, "$.err says: no"), (#"{"items":[],"errorCode":17}"#, "$.errorCode says: 17"),
        (#"{"items":[],"error_code":"E17","error_message":"busy"}"#, "$.error_code says: E17"),
        (#"{"items":[],"errcode":40001,"errmsg":"invalid credential"}"#, "$.errcode says: 40001"),
        (#"{"items":[],"responseStatus":{"errorCode":"Busy"}}"#, "$.responseStatus.errorCode says: Busy"),
        (#"{"items":[],"code":500,"msg":"internal"}"#, "$.code is 500"),
        (#"{"items":[],"statusCode":"503"}"#, "$.statusCode is '503'"),
        (#"{"items":[],"status":502}"#, "$.status is 502"),
        (#"{"items":[],"status":"error"}"#, "$.status is 'error'"),
        (#"{"items":[],"result":"FAILURE"}"#, "$.result is"),
        (#"{"items":[],"meta":{"state":"timed out"}}"#, "$.meta.state is 'timed out'"),
        (#"{"items":[],"@odata.error":{"code":"x","message":"no"}}"#, " says: x, no"),
        (#"{"items":[],"__type":"x#ThrottlingException","message":"no"}"#, "$.__type is"),
        (#"{"items":[],"resultCode":"ERROR"}"#, "$.resultCode is 'ERROR'"),
    ])
    func `an error in place of records is reported with the message of the origin`(
        _ envelope: String, _ words: String
    ) async throws {
        try await ListingEndTests.expectIncomplete(
            ListingEndTests.answer(envelope, []), Self.bench(), because: words)
    }

    @Test(arguments: [
        #"["error",{"list":[]}]"#, #"["error",{"list":[{"id":1}]}]"#, #"[[],["x"],null]"#, #"[1,"timed out"]"#, #""x""#,
    ])
    func `a root without members is read without a crash`(_ body: String) async throws {
        for path in ["$[1].list", "$.items", "$[*]"] {
            var bench = try await Self.bench()
            bench.resource.records = try JSONPath(parsing: path)
            bench.origin.set("/posts", .text(body))
            _ = try await bench.sync()
            let write = try await WriteBench()
            write.origin.set("/a", .text(body))
            let entry = try await write.enqueue("/a", .post, idempotency: nil, body: #"[{"n":1},{"n":2}]"#)
            _ = try await write.sender().drain()
            #expect(try await write.entry(entry.id).state != .sending)
        }
    }

    @Test(arguments: [1, 2])
    func `a list that is null beside an error makes the listing incomplete, on each of its pages`(_ number: Int)
        async throws
    {
        for paging in [Paging.page(.init(sizeParameter: "size", size: 5)), .nextURL(JSONPath(member: "next"))] {
            var bench = try await ListingEndTests.bench(paging: paging)
            bench.resource.records = try JSONPath(parsing: "$.data[*]")
            let refusal = #"{"data":null,"error":{"message":"too many"}}"#
            let first = #"{"data":\#(ListingEndTests.records(1...5)),"next":"/posts?size=5&page=2"}"#
            bench.origin.set("/posts", ListingEndTests.answer(number == 1 ? refusal : first, []))
            bench.origin.set("/posts?page=1&size=5", ListingEndTests.answer(number == 1 ? refusal : first, []))
            bench.origin.set("/posts?size=5&page=2", ListingEndTests.answer(refusal, []))
            let report = try await bench.sync()
            #expect(report.result.outcome == .partial, "\(paging)")
            #expect(report.warnings.contains { $0.contains("$.error says: too many") }, "\(report.warnings)")
            #expect(try await bench.state().completedAt == nil)
        }
    }

    @Test(
        arguments: [
            (HTTPResponse.Status.accepted, nil, "[]", "202 Accepted"), (.accepted, nil, "{}", "202 Accepted"),
            (.accepted, nil, "", "202 Accepted"), (.init(code: 207), nil, #"{"items":ITEMS}"#, "207 Multi-Status"),
            (.partialContent, nil, #"{"items":ITEMS}"#, "206 Partial Content"),
            (.partialContent, nil, #"{"items":[]}"#, "206 Partial Content"),
            (.init(code: 226), nil, #"{"items":ITEMS}"#, "226 IM Used"),
            (.ok, ("Warning", "199 - \"partial result: 1 shard\""), #"{"items":ITEMS}"#, "Warning is"),
            (.ok, ("X-Incomplete", "true"), #"{"items":ITEMS}"#, "X-Incomplete is 'true'"),
            (.ok, ("X-Response-Complete", "false"), #"{"items":ITEMS}"#, "X-Response-Complete is 'false'"),
            (.ok, ("X-Result", "partial"), #"{"items":ITEMS}"#, "X-Result is 'partial'"),
            (.ok, ("X-Partial-Results", "1"), #"{"items":ITEMS}"#, "X-Partial-Results is '1'"),
            (.ok, ("X-Partial-Content", "yes"), #"{"items":ITEMS}"#, "X-Partial-Content is 'yes'"),
            (.ok, ("X-Response-Status", "PartialContent"), #"{"items":ITEMS}"#, "is 'PartialContent'"),
            (.ok, ("x-completeness", "Partial results"), #"{"items":ITEMS}"#, "is 'Partial results'"),
            (
                .ok, ("X-Note", "the answer is only partial because a shard failed"), #"{"items":ITEMS}"#,
                "X-Note is 'the answer is only partial because a shard failed'"
            ),
            (
                .ok, ("X-Warning", "some shards of the index failed: PARTIAL RESULTS"), #"{"items":ITEMS}"#,
                "X-Warning is"
            ),
        ] as [(HTTPResponse.Status, (String, String)?, String, String)])
    func `a status or a header field can report it, too`(
        _ status: HTTPResponse.Status, _ field: (String, String)?, _ envelope: String, _ words: String
    ) async throws {
        var answer = ListingEndTests.answer(envelope, Self.most, field.map { [$0] } ?? [])
        if case .reply(var response, let chunks, let ending) = answer {
            response.status = status
            answer = .reply(response, chunks: chunks, ending: ending)
        }
        try await ListingEndTests.expectIncomplete(answer, Self.bench(), because: words)
    }

    @Test(arguments: [
        #"{"items":ITEMS,"error":null}"#, #"{"items":ITEMS,"errors":[]}"#, #"{"items":ITEMS,"error":false}"#,
        #"{"items":ITEMS,"error":""}"#, #"{"items":ITEMS,"errors":0}"#, #"{"items":ITEMS,"error":{"code":0}}"#,
        #"{"items":ITEMS,"errors":["one record was left out by its filter"]}"#,
        #"{"items":ITEMS,"timed_out":false}"#, #"{"items":ITEMS,"_shards":{"failed":0,"failures":[]}}"#,
        #"{"items":ITEMS,"failed":3}"#,
        #"{"items":ITEMS,"meta":{"title":"A partial eclipse seen from the north"}}"#,
        #"{"items":ITEMS,"filter":{"partial":true}}"#,
        #"{"items":ITEMS,"type":"partial"}"#, #"{"items":ITEMS,"meta":{"mode":"partial"}}"#,
        #"{"items":ITEMS,"meta":{"notes":"Figures for 2025 are partial."}}"#,
        #"{"items":ITEMS,"title":"Partial"}"#, #"{"items":ITEMS,"meta":{"name":"partial results"}}"#,
        #"{"items":ITEMS,"description":"The list is partial."}"#, #"{"items":ITEMS,"query":"partial results"}"#,
        #"{"items":ITEMS,"meta":{"fulfillment_status":"partial"}}"#, #"{"items":ITEMS,"owner":{"type":"partial"}}"#,
        #"{"items":ITEMS,"message":"Use PATCH for partial updates of these records"}"#,
        #"{"items":ITEMS,"message":"Partial refunds are listed elsewhere"}"#,
        #"{"items":ITEMS,"meta":{"warning":"there are no partial results"}}"#,
        #"{"items":ITEMS,"status":"not partial"}"#, #"{"items":ITEMS,"timed_out":0}"#,
        #"{"items":ITEMS,"failures":[]}"#, #"{"items":ITEMS,"failures":3}"#,
        #"{"items":ITEMS,"links":{"about":"/partial-results/"}}"#, #"{"items":ITEMS,"status":"ok"}"#,
        #"{"items":ITEMS,"success":true}"#, #"{"items":ITEMS,"success":1}"#, #"{"items":ITEMS,"success":0}"#,
        #"{"items":ITEMS,"unreachable":[]}"#, #"{"items":ITEMS,"status":"failed"}"#, #"{"items":ITEMS,"code":500}"#,
        #"{"id":7,"success":false,"items":ITEMS}"#, #"{"key":"run-7","has_errors":true,"items":ITEMS}"#,
        #"{"items":ITEMS,"summary":{"up":3,"unreachable":2}}"#, #"{"items":ITEMS,"meta":{"unreachable":2}}"#,
        #"{"items":ITEMS,"errorCode":7}"#, #"{"items":ITEMS,"filter":{"complete":false}}"#,
        #"{"items":ITEMS,"errors":[{"code":0,"message":"done"}]}"#, #"{"items":ITEMS,"errors":{"count":2}}"#,
        #"{"id":7,"errors":[{"message":"of the parent"}],"items":ITEMS}"#, #"{"id":7,"complete":false,"items":ITEMS}"#,
        #"{"items":ITEMS,"UnprocessedKeys":{}}"#, #"{"items":ITEMS,"unavailable_dates":["2026-01-01"]}"#,
        #"{"name":"Todo","status":"incomplete","items":ITEMS}"#,
        #"{"items":ITEMS,"complete":false}"#,
        #"{"items":ITEMS,"status":"incomplete"}"#, #"{"items":ITEMS,"degraded":true}"#,
        #"{"items":ITEMS,"faults":[{"spn":110,"description":"coolant"}]}"#,
        #"{"items":ITEMS,"errors":[{"id":"e1","title":"TypeError"}]}"#,
        #"{"items":ITEMS,"unavailable_services":["x"]}"#,
        #"{"items":ITEMS,"_links":{"errors":{"href":"/jobs/5/errors"}}}"#,
        #"{"id":5,"items":ITEMS,"failed_items":["row 3"]}"#,
        #"{"items":ITEMS,"errors":[{"title":"Not Found Error","detail":"no user","resource_id":"9"}]}"#,
        #"{"items":ITEMS,"message":"Payment timed out"}"#,
    ])
    func `text that only resembles such a sign changes nothing`(_ envelope: String) async throws {
        let bench = try await Self.bench()
        bench.origin.set("/posts", ListingEndTests.answer(envelope, ListingEndTests.all))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.state().completedAt != nil)
    }

    @Test(arguments: [
        #"{"items":[],"success":true,"code":0,"msg":"ok"}"#, #"{"items":[],"errcode":0,"errmsg":"ok"}"#,
        #"{"items":[],"errorCode":"0000","errorMessage":"Success"}"#, #"{"items":[],"status":"success"}"#,
        #"{"items":[],"status":200}"#, #"{"items":[],"code":404}"#, #"{"items":[],"err":null,"error_code":""}"#,
        #"{"id":7,"status":"unavailable","items":[]}"#, #"{"code":450,"name":"Toys","items":[]}"#,
        #"{"uuid":"u","failure_reason":"no power","items":[]}"#, #"{"errno":0,"errmsg":"succ","items":[]}"#,
        #"{"errorCode":200,"errorMessage":"fine","items":[]}"#, #"{"items":[],"errorCode":404}"#,
        #"{"items":[],"errorMessage":"No records found"}"#,
        #"{"status":"running","items":[]}"#, #"{"type":"default","items":[]}"#,
        #"{"items":[],"status":"failed"}"#, #"{"items":[],"filter":{"status":"error"}}"#,
    ])
    func `an empty list without such a sign is a whole one, also if it repeats the query`(_ envelope: String)
        async throws
    {
        var bench = try await Self.bench()
        bench.resource.query = ["status": "failed"]
        bench.origin.set("/posts?status=failed", ListingEndTests.answer(envelope, []))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.state().completedAt != nil)
    }

    @Test(arguments: [("X-Title", "Partial"), ("X-Resource-Name", "partial results"), ("X-Note", "not partial")])
    func `a text about the data in a header field changes nothing`(name: String, value: String) async throws {
        let bench = try await Self.bench()
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS}"#, ListingEndTests.all, [(name, value)]))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test(arguments: [
        (#""timed_out":true,"_shards":{"total":5,"failed":0}"#, "$.timed_out is true"),
        (#""timed_out":false,"_shards":{"total":5,"successful":4,"failed":1}"#, "$._shards.failed is 1"),
        (#""timed_out":false,"_shards":{"total":5,"failed":0,"failures":[{"shard":3}]}"#, "$._shards.failures"),
    ])
    func `a search that some shards did not answer deletes nothing`(_ signs: String, _ words: String) async throws {
        var bench = try await ListingEndTests.bench()
        bench.resource.records = try JSONPath(parsing: "$.hits.hits[*]")
        let whole = #"{"timed_out":false,"_shards":{"total":5,"failed":0},"hits":{"hits":ITEMS}}"#
        bench.origin.set("/posts", ListingEndTests.answer(whole, ListingEndTests.all))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set("/posts", ListingEndTests.answer(#"{\#(signs),"hits":{"hits":ITEMS}}"#, Self.most))
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(report.result.outcome == .partial && report.result.counters.deleted == 0)
            #expect(report.warnings.contains { $0.contains(words) }, "\(report.warnings)")
        }
        #expect(try await bench.keys().count == 15)
    }

    // MARK: Lines

    /// A line for each record, and `lines` between the last two.
    private static func stream(_ ids: some Collection<Int>, _ lines: String..., isDeclared: Bool) -> ScriptedAnswer {
        var all = ids.map { #"{"id":\#($0),"at":\#($0)}"# }
        all.insert(contentsOf: lines, at: all.count - 1)
        let type = isDeclared ? "text/plain" : "application/x-ndjson"
        return .text(all.joined(separator: "\n"), headerFields: [.contentType: type])
    }

    private static func lineBench(isDeclared: Bool) async throws -> EngineBench {
        var bench = try await ListingEndTests.bench()
        bench.resource.records = isDeclared ? .lines : nil
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "id")), type: .integer)
        return bench
    }

    @Test(
        arguments: [
            (#"{"error":"stream aborted"}"#, "$.error says: stream aborted"),
            (#"{"errors":[{"message":"too slow"}]}"#, "$.errors says: too slow"),
            (#"{"id":null,"error":{"code":7}}"#, "$.error says: 7"),
            (#"{"exception":"gone"}"#, "$.exception says: gone"),
            (#"{"timed_out":true}"#, "$.timed_out is true"), (#"{"status":"partial"}"#, "$.status is 'partial'"),
            (#"{"meta":{"failed":1}}"#, "$.meta.failed is 1"), (#"{"partial":true}"#, "$.partial is true"),
        ], [true, false])
    func `a line that is not a record can report it, too`(_ sign: (String, String), isDeclared: Bool) async throws {
        let bench = try await Self.lineBench(isDeclared: isDeclared)
        bench.origin.set("/posts", Self.stream(1...9, isDeclared: isDeclared))
        #expect(try await bench.sync().result.outcome == .saved)
        let before = (try await bench.state().completedAt, try await bench.store.cursor(of: "posts")?.value)
        bench.origin.set("/posts", Self.stream(10...15, sign.0, isDeclared: isDeclared))
        for _ in 0..<3 {
            bench.time.advance(by: .seconds(60))
            let report = try await bench.sync()
            #expect(report.result.outcome == .partial && report.result.counters.deleted == 0)
            let words = "in a line that is not a record, \(sign.1)"
            #expect(report.warnings.contains { $0.contains(words) }, "\(report.warnings)")
        }
        #expect(try await bench.state().completedAt == before.0)
        #expect(try await bench.store.cursor(of: "posts")?.value == before.1)
        #expect(try await bench.keys().count == 15)
    }

    @Test(
        arguments: [
            #"{"id":16,"error":"of the record"}"#, #"{"id":16,"timed_out":true}"#, #"{"id":16,"status":"partial"}"#,
            #"{"title":"without a key"}"#, #"{"error":null}"#, #"{"id":null,"at":5,"error":"timeout"}"#,
            #"{"_shards":{"failed":0}}"#, "",
        ], [true, false])
    func `a line with a key is a record, and one without a key may have no effect on the stream`(
        _ line: String, isDeclared: Bool
    ) async throws {
        let bench = try await Self.lineBench(isDeclared: isDeclared)
        bench.origin.set("/posts", Self.stream(1...15, line, isDeclared: isDeclared))
        let report = try await bench.sync()
        #expect(!report.warnings.contains { $0.hasPrefix("incomplete: ") }, "\(report.warnings)")
        #expect(try await bench.state().incomplete == nil)
    }

    @Test func `trust_end takes such an answer for whole`() async throws {
        var bench = try await Self.bench()
        bench.resource.stop.trustsEnd = true
        bench.origin.set("/posts", ListingEndTests.answer(#"{"timed_out":true,"items":ITEMS}"#, Self.most))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a first page that is not whole counts until the end, also of a listing that is resumed`() async throws {
        let bench = try await Self.bench()
        let first = #"{"timed_out":true,"items":ITEMS,"next":"/posts?page=2"}"#
        bench.origin.set("/posts", ListingEndTests.answer(first, 1...5, [("ETag", "\"a\"")]))
        bench.origin.set("/posts?page=2", .status(.badGateway), ListingEndTests.answer(#"{"items":ITEMS}"#, 6...9))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(3600))
        let resumed = try await bench.sync()
        #expect(resumed.isResumed && resumed.result.outcome == .partial)
        #expect(resumed.warnings.contains { $0.contains("$.timed_out is true") }, "\(resumed.warnings)")
        #expect(try await bench.keys().count == 9)
        #expect(try await bench.state().completedAt == nil)
    }
}
