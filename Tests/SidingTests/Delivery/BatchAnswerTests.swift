// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import TestSupport
import Testing

@testable import Siding

/// Several writes in one request: an origin may carry out some of them, and answer with a success.
@Suite struct BatchAnswerTests {
    private static let requests = [
        #"[{"n":1},{"n":2}]"#, #"[{"n":1}]"#, #"{"docs":[{"a":1},{"a":2}]}"#, #"{"ids":[1,2]}"#,
        #"{"RequestItems":{"T":[{"Put":{}}],"U":[{"Put":{}}]}}"#,
        "{\"index\":{}}\n{\"a\":1}\n{\"index\":{}}\n{\"a\":2}\n", "n,m\n1,2\n3,4\n",
    ]

    /// The state of a write after this answer.
    private static func end(
        _ request: String, _ answer: String, _ status: HTTPResponse.Status = .ok
    ) async throws -> QueueEntry {
        let bench = try await WriteBench()
        bench.origin.set(
            "/a", .text(answer, status: status, headerFields: [.contentType: "application/json"]))
        let entry = try await bench.enqueue("/a", .post, idempotency: nil, body: request)
        _ = try await bench.sender().drain()
        return try await bench.entry(entry.id)
    }

    /// CouchDB, Elasticsearch, Jira, SQS, DynamoDB, Typesense, Expo, Microsoft Graph, FHIR, FCM, Braze and others.
    private static let partial = [
        (#"[{"ok":true,"id":"a"},{"id":"b","error":"conflict"}]"#, "$[1].error is 'conflict'"),
        (#"[{"id":"a","error":"conflict"},{"id":"b","error":"conflict"}]"#, "$[0].error"),
        (
            #"{"errors":true,"items":[{"index":{"_id":"1","status":201}},{"index":{"_id":"2","error":{"type":"x"}}}]}"#,
            "$.items[1].index.error"
        ),
        (#"{"issues":[{"id":"1"}],"errors":[{"status":400,"failedElementNumber":1}]}"#, "$.errors is not empty"),
        (#"{"message":"success","events_processed":1,"errors":[{"type":"x"}]}"#, "$.errors is not empty"),
        (#"{"Successful":[{"Id":"1"}],"Failed":[{"Id":"2","Code":"x"}]}"#, "$.Failed is not empty"),
        (#"{"Failed":[{"Id":"1"},{"Id":"2"}]}"#, "$.Failed is not empty"),
        (#"{"deleted":[1],"failed":[3]}"#, "$.failed"),
        (#"{"UnprocessedItems":{"T":[{"PutRequest":{}}]}}"#, "$.UnprocessedItems is not empty"),
        ("{\"success\":true}\n{\"success\":false,\"error\":\"bad\"}\n", "$[1].success is false"),
        (#"{"data":[{"status":"ok","id":"x"},{"status":"error","message":"gone"}]}"#, "$.data[1].status"),
        (
            #"{"responses":[{"id":"1","status":201},{"id":"2","status":404,"body":{"error":{"code":"x"}}}]}"#,
            "$.responses[1].body.error"
        ),
        (
            #"{"entry":[{"response":{"status":"201 Created"}},{"response":{"status":"400 Bad Request"}}]}"#,
            "$.entry[1].response.status"
        ),
        (#"{"success":1,"failure":1,"results":[{"message_id":"m"},{"error":"NotRegistered"}]}"#, "$.failure is 1"),
        (#"{"results":{"rejectedRecords":[{"id":2}]}}"#, "$.results.rejectedRecords is not empty"),
        (#"{"partialSuccess":{"rejectedSpans":"2"}}"#, "$.partialSuccess.rejectedSpans is '2'"),
        (#"{"id":"batch_1","results":[{"status":"error"}]}"#, "$.results[0].status"),
        (#"[{"n":1,"status":true},{"n":2,"status":false}]"#, "$[1].status is false"),
        (#"[{"ErrorCode":0,"MessageID":"1"},{"ErrorCode":406}]"#, "$[1].ErrorCode is 406"),
        (#"[{"statusCode":201},{"statusCode":409}]"#, "$[1].statusCode is 409"),
        (#"{"partialFailureError":{"code":3},"results":[{},{"resourceName":"c/1"}]}"#, "$.partialFailureError"),
        (#"{"batchId":"b1","succeeded":[1],"failed":[{"index":2}]}"#, "$.failed is not empty"),
        (#"{"results":{"a":{"status":201},"b":{"status":409,"error":"x"}}}"#, "$.results.b"),
        (#"{"created":[{"id":1}],"writeErrors":[{"code":11000}]}"#, "$.writeErrors is not empty"),
        (#"{"imported":1,"errorCount":1}"#, "$.errorCount is 1"),
        (#"{"ids":[1],"failed":["0"]}"#, "$.failed is not empty"), (#"{"errorsCount":1}"#, "$.errorsCount is 1"),
        (
            #"{"compositeResponse":[{"httpStatusCode":200,"referenceId":"a"},{"httpStatusCode":400,"referenceId":"b"}]}"#,
            "$.compositeResponse[1].httpStatusCode is 400"
        ),
        (
            #"{"BatchItemResponse":[{"Bill":{"Id":"1"},"bId":"1"},{"Fault":{"Error":[{"Message":"x"}]},"bId":"2"}]}"#,
            "$.BatchItemResponse[1].Fault is not empty"
        ),
        (
            #"{"job_status":{"id":"j","results":[{"id":1,"success":true},{"id":2,"success":false}]}}"#,
            "$.job_status.results[1].success is false"
        ),
        (#"{"sync_status":{"u1":"ok","u2":{"error_code":15,"error":"x"}}}"#, "$.sync_status.u2"),
        (#"{"created":[{"id":1}],"notUpdated":{"a":{"type":"x"}}}"#, "$.notUpdated is not empty"),
    ]

    @Test(arguments: partial, Proof.sample([HTTPResponse.Status.ok, .created, .accepted], every: 3))
    func `a batch of which an entry failed is in doubt`(
        _ answer: (String, String), status: HTTPResponse.Status
    ) async throws {
        for request in Self.requests {
            let entry = try await Self.end(request, answer.0, status)
            #expect(entry.state == .parked && entry.reason == .uncertain, "\(request)")
            #expect(entry.lastError?.message.contains(answer.1) == true, "\(entry.lastError?.message ?? "")")
            #expect(entry.lastError?.hint?.contains("the entries that failed") == true)
            let explained = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: entry.createdAt)
            #expect(explained.why.hasPrefix("the origin answered"))
            #expect(explained.next.contains("send what is missing by a write of its own"))
        }
    }

    @Test(arguments: [
        #"[{"ok":true,"id":"a"},{"ok":true,"id":"b"}]"#, #"{"errors":false,"items":[{"index":{"status":201}}]}"#,
        #"{"Successful":[{"Id":"1"},{"Id":"2"}],"Failed":[]}"#, #"{"UnprocessedItems":{}}"#,
        #"{"issues":[{"id":"1"}],"errors":[]}"#, "{\"success\":true}\n{\"success\":true}", "", "OK", "[]", "{}",
        #"[{"id":1,"status":"failed"},{"id":2,"code":404}]"#, #"[{"id":1,"error":null},{"id":2,"error":""}]"#,
        #"{"id":9,"lines":[{"n":1},{"n":2,"error":"of the record"}]}"#,
        #"[{"id":1,"status":200},{"id":2,"status":201}]"#,
        // An update that changed nothing, and the deletion of what is not there.
        #"{"errors":false,"items":[{"update":{"_id":"1","_shards":{"total":0,"successful":0,"failed":0},"status":200}}]}"#,
        #"{"errors":false,"items":[{"delete":{"_id":"1","result":"not_found","status":404}}]}"#,
        #"{"succeeded":0,"unchanged":2,"failed":0}"#, #"{"ok":true,"failedUpdates":{"invalidEmails":[]}}"#,
        #"{"items":[{"id":1}],"errors":{"email":[]}}"#, #"[{"n":1,"error":{"code":0,"message":"ok"}}]"#,
        #"{"records":[{"id":"rec1","fields":{"sum":{"error":"not a number"}}}]}"#, #"[{"id":1,"success":false}]"#,
        #"{"order":{"id":7},"payments":[{"paymentId":1,"status":"failed"}]}"#,
        #"{"data":{"id":1},"included":[{"attributes":{"success":false}}]}"#,
        #"{"failedLoginAttempts":2,"failureThreshold":3}"#, #"{"id":"w1","failed":3,"tests":10}"#,
        #"[{"n":1,"error":"false"}]"#, #"{"id":9,"results":[{"name":"db","ok":false}]}"#,
    ])
    func `a batch of which no entry failed is delivered`(answer: String) async throws {
        for request in Self.requests { #expect(try await Self.end(request, answer).state == .done, "\(request)") }
    }

    @Test func `an answer that repeats the entries is a delivery`() async throws {
        let log = #"[{"level":"error","status":500,"error":"disk full"},{"status":"error","failed":[1]}]"#
        #expect(try await Self.end(log, log).state == .done)
    }

    @Test func `an entry that has only the id of the request and how it went is no record`() async throws {
        let request = #"[{"id":"a","n":1},{"id":"b","n":2}]"#
        let entry = try await Self.end(request, #"[{"id":"a","success":true},{"id":"b","success":false}]"#)
        #expect(entry.reason == .uncertain && entry.lastError?.message.contains("$[1].success is false") == true)
        let results = #"{"results":[{"index":0,"id":"a","success":true},{"index":1,"id":"b","success":false}]}"#
        #expect(try await Self.end(request, results).reason == .uncertain)
        #expect(try await Self.end(request, #"[{"id":"a","n":1,"success":false}]"#).state == .done)
    }

    @Test func `a list of the request holds its results also beside an id`() async throws {
        let answer =
            #"{"Id":"x","Invoices":[{"InvoiceID":"1"},{"InvoiceID":"2","ValidationErrors":[{"Message":"no"}]}]}"#
        let entry = try await Self.end(#"{"Invoices":[{"n":1},{"n":2}]}"#, answer)
        #expect(entry.reason == .uncertain)
        #expect(try await Self.end(#"{"Others":[{"n":1},{"n":2}]}"#, answer).state == .done)
        let order = #"{"id":9,"payments":[{"method":"card","status":"denied"}]}"#
        #expect(try await Self.end(#"{"payments":[{"method":"card"}]}"#, order).state == .done)
        let run = #"{"data":{"createTestRun":{"id":"7","success":false}}}"#
        #expect(try await Self.end(#"{"query":"mutation { a }"}"#, run).state == .done)
    }

    @Test func `what an entry of the request lacks is no echo`() async throws {
        let answer = #"[{"n":1,"error":null},{"n":2,"error":{"message":"conflict"}}]"#
        #expect(try await Self.end(#"[{"n":1,"error":null},{"n":2,"error":null}]"#, answer).reason == .uncertain)
    }

    @Test func `no probe is asked, as the origin has said what it did`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .text(#"[{"ok":true},{"error":"x"}]"#))
        var write = WriteRequest(
            to: "api", .post, try HTTPURL("https://api.test/a"), body: Array(Self.requests[2].utf8), idempotency: nil)
        write.probe = WriteProbe("/probe?ref={entry}", mark: "$.ref", after: .seconds(1))
        let entry = try await bench.store.enqueue(write)
        for _ in 0..<3 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(60))
        }
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        #expect(bench.origin.takeRequests().count == 1)
    }

    @Test(arguments: [
        #"[{"data":{"a":{"id":1}}},{"data":null,"errors":[{"message":"too long"}]}]"#,
        #"{"data":{"a":{"product":{"id":1},"userErrors":[]},"b":{"product":null,"userErrors":[{"message":"too long"}]}}}"#,
        #"{"data":{"a":{"id":1},"b":null},"errors":[{"path":["b"],"message":"too long"}]}"#,
    ])
    func `some of several GraphQL mutations may be refused`(answer: String) async throws {
        let entry = try await Self.end(#"[{"query":"mutation { a }"},{"query":"mutation { b }"}]"#, answer)
        #expect(entry.reason == .uncertain && entry.lastError?.message.contains("too long") == true)
    }

    @Test func `a GraphQL mutation may be refused in its payload`() async throws {
        let answer = #"{"data":{"a":{"product":null,"userErrors":[{"field":["title"],"message":"is too long"}]}}}"#
        let entry = try await Self.end(#"{"query":"mutation { a }"}"#, answer)
        #expect(entry.reason == .rejected && entry.lastError?.message.contains("is too long") == true)
        for refusal in [
            #"{"data":{"a":{"success":false}}}"#, #"{"data":{"a":{"ok":false,"product":null}}}"#,
            #"{"data":{"a":{"success":false,"message":"locked"}}}"#, #"{"data":{"a":{"id":null,"success":false}}}"#,
            #"{"data":{"a":{"id":"7","success":false,"message":"locked"}}}"#,
        ] {
            #expect(try await Self.end(#"{"query":"mutation { a }"}"#, refusal).reason == .rejected)
        }
        let fine = #"{"data":{"a":{"product":{"id":1},"userErrors":[]}}}"#
        #expect(try await Self.end(#"{"query":"mutation { a }"}"#, fine).state == .done)
    }

    @Test(arguments: [
        #"{"errors":[{"message":"too large"}]}"#,
        #"{"success":false,"errors":[{"message":"x"}],"timestamp":1796040613}"#,
        #"{"ok":false,"error":"invalid_blocks","errors":["x"],"response_metadata":{"messages":["y"]}}"#,
    ])
    func `the refusal of a whole batch is no doubt`(answer: String) async throws {
        let entry = try await Self.end(Self.requests[0], answer)
        #expect(entry.state == .parked && entry.reason == .rejected, "\(entry.lastError?.message ?? "")")
    }

    @Test func `a JSON Patch is no batch`() async throws {
        let patch = #"[{"op":"replace","path":"/a","value":1},{"op":"remove","path":"/b"}]"#
        #expect(try await Self.end(patch, #"{"items":[{"status":"error"}],"failed":1}"#).state == .done)
    }

    @Test func `an answer to one write may hold a list with errors`() async throws {
        let answer = #"{"checks":[{"status":200},{"status":500,"error":"down"}]}"#
        #expect(try await Self.end(#"{"run":1}"#, answer).state == .done)
    }

    @Test func `the last entry of a long batch counts as the first does`() async throws {
        let entries = (1..<2000).map { #"{"id":\#($0),"ok":true}"# } + [#"{"id":2000,"error":"full"}"#]
        let entry = try await Self.end(Self.requests[0], "[\(entries.joined(separator: ","))]")
        #expect(entry.reason == .uncertain)
        #expect(entry.lastError?.message.contains("$[1999].error") == true)
    }
}
