// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// A declared edit whose answer has a success status and says how it went.
@Suite struct AnsweredRefusalTests {
    private static func end(
        _ change: WriteEdit.Change, _ answer: String, _ body: String = #"{"title":"new"}"#
    ) async throws -> (entry: QueueEntry, bench: EditBench) {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old"}]"#)
        let entry = try await bench.edit(
            change, change == .create ? nil : "a", change == .delete ? nil : body)
        let origin = ScriptedOrigin()
        for path in ["/posts", "/posts/a"] {
            origin.set(path, .text(answer, headerFields: [.contentType: "application/json"]))
        }
        _ = try await bench.sender(over: origin).drain()
        try await bench.expectSound()
        return (try await bench.entry(entry.id), bench)
    }

    @Test(
        arguments: [
            (.create, #"{"id":"req-1","success":false,"message":"locked"}"#),
            (.create, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"locked"}}"#),
            (.merge, #"{"id":"req-1","success":false,"message":"locked"}"#), (.merge, #"{"id":"a","success":false}"#),
            (.merge, #"{"id":"a","errors":[{"message":"locked"}]}"#), (.delete, #"{"id":"a","success":false}"#),
            (.create, #"{"id":"req-1","success":false}"#), (.merge, #"{"id":"a","status":"error","message":"locked"}"#),
            (.delete, #"{"id":"a","error":"locked"}"#), (.delete, #"{"success":false,"message":"locked"}"#),
            (.merge, #"{"success":false,"message":"locked","data":{"id":"a","title":"old"}}"#),
            (.create, #"{"success":false,"message":"exists","data":{"id":"c","title":"other"}}"#),
            (.create, #"{"uuid":"9f-req","error":"locked","path":"/posts"}"#),
            (.create, #"{"error":"title is taken","name":"x","title":"new"}"#),
        ] as [(WriteEdit.Change, String)])
    func `an id beside a flag or an error makes no record of a refusal`(
        change: WriteEdit.Change, answer: String
    ) async throws {
        let (entry, bench) = try await Self.end(change, answer)
        #expect(entry.state == .parked && entry.reason == .rejected, "\(entry.lastError?.message ?? "")")
        #expect(try await bench.shown("req-1") == nil)
    }

    @Test(arguments: [
        (#"{"state":"queued"}"#, #"{"id":"a","state":"queued","error":"timeout of the last run"}"#, true),
        (#"{"message":"x"}"#, #"{"id":"a","message":"x","success":false}"#, true),
        (#"{"state":"queued"}"#, #"{"id":"a","state":"open","error":"locked"}"#, false),
        (#"{"message":null}"#, #"{"id":"a","success":false,"message":null}"#, false),
        (#"{"status":"error"}"#, #"{"id":"a","status":"error","error":"locked"}"#, false),
    ])
    func `an answer that has a member as it was sent is the record`(
        body: String, answer: String, isDone: Bool
    ) async throws {
        let entry = try await Self.end(.merge, answer, body).entry
        #expect(entry.state == (isDone ? .done : .parked), "\(entry.lastError?.message ?? "")")
    }

    @Test(
        arguments: [
            (.create, #"{"id":"b","title":"new","success":false,"message":"of the job"}"#),
            (.create, #"{"data":{"id":"b","title":"new","status":"failed","error":"x"}}"#),
            (.create, #"{"result":{"id":"b","title":"new","success":false}}"#),
            (.create, #"{"data":{"type":"jobs","id":"b","attributes":{"title":"new","status":"failed"}}}"#),
            (.create, #"{"uuid":"b","title":"new","error":"E42"}"#),
            (.create, #"[{"id":"b","title":"new","error":"x"}]"#),
            (.create, #"{"id":"b","status":"failed"}"#),
            (.create, #"{"order_id":5,"title":"new","error":"no stock"}"#),
            (.create, #"{"id":"b","title":"new","error":"bounced once"}"#),
            (.merge, #"{"id":"a","title":"new","error":"of the job"}"#),
            (.merge, #"{"data":{"id":"a","title":"new","error":"of the job"}}"#),
            (.merge, #"{"id":"a","success":true,"errors":[]}"#), (.delete, #"{"id":"a","title":"old","error":"x"}"#),
            (.delete, #"{"id":"a","deleted":true}"#), (.merge, #"{"id":"a","status":"rejected","reason":"holiday"}"#),
            (.merge, #"{"id":"a","paid":false,"status":"failed"}"#),
            (.delete, #"{"id":"a","status":"denied","reason":"x"}"#),
        ] as [(WriteEdit.Change, String)])
    func `a record with an error of its own is a delivery`(change: WriteEdit.Change, answer: String) async throws {
        let (entry, _) = try await Self.end(change, answer)
        #expect(entry.state == .done, "\(entry.lastError?.message ?? "")")
    }
}
