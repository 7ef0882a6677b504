// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Answers with a success status, or a 304, by which the origin says that it did not act.
@Suite struct WriteRefusalTests {
    private static let mutation = #"{"query":"mutation { add(name: 1) { id } }"}"#

    /// The state of a write with this body after this answer.
    private func end(
        _ body: String, _ answer: String, status: HTTPResponse.Status = .ok, type: String = "application/json",
        _ adjust: (inout Source) throws -> Void = { _ in }
    ) async throws -> QueueEntry {
        var bench = try await WriteBench()
        try adjust(&bench.sources[0])
        bench.origin.set("/graphql", .text(answer, status: status, headerFields: [.contentType: type]))
        let entry = try await bench.enqueue("/graphql", idempotency: nil, body: body)
        _ = try await bench.sender().drain()
        return try await bench.entry(entry.id)
    }

    @Test(arguments: [
        #"{"errors":[{"message":"name is taken"}]}"#, #"{"errors":[{"message":"name is taken"}],"data":null}"#,
        #"{"data":{"add":null,"other":null},"errors":[{"message":"name is taken","path":["add"]}]}"#,
        #"{"data":{},"errors":[{"message":"name is taken"},{"message":"name is short"}]}"#,
        #"[{"errors":[{"message":"name is taken"}]}]"#,
        #"{"errors":{"message":"name is taken"}}"#, #"{"errors":"name is taken","data":null}"#,
        #"{"errors":["name is taken"]}"#, "\u{FEFF}" + #"{"errors":[{"message":"name is taken"}]}"#,
    ])
    func `a GraphQL request that is refused with 200 is parked, with the origin's message`(
        answer: String
    ) async throws {
        let entry = try await end(Self.mutation, answer)
        #expect(entry.reason == .rejected)
        #expect(entry.lastError?.message.contains("name is taken") == true)
        #expect(entry.lastError?.status == 200)
    }

    @Test(arguments: [
        "{}", "null", "[]", "", "no JSON", #""ok""#, #"{"data":null}"#, #"{"errors":null,"data":null}"#,
        #"{"errors":[]}"#, #"[{"data":{"add":{"id":1}}},{}]"#, #"{"error":"name is taken"}"#, #"{"data":{"add":{"id"#,
    ])
    func `a GraphQL request whose answer shows no data may have been carried out`(answer: String) async throws {
        let entry = try await end(Self.mutation, answer)
        #expect(entry.reason == .uncertain && entry.mayHaveArrived)
        #expect(entry.lastError?.message.contains("no `data`") == true)
    }

    @Test(arguments: [
        Self.mutation, #"{"query":"\n# adds one\n  mutation Add { add { id } }","variables":{}}"#,
        #"{"query":"{ me }"}"#, #"{"query":"fragment F on T { id } mutation { add { ...F } }","id":"x"}"#,
        #"[{"query":"mutation { add { id } }"},{"query":"mutation { other }"}]"#,
        #"{"operationName":"Add","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}"#,
        #"[{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}]"#,
    ])
    func `a GraphQL request is known in each of its forms`(body: String) async throws {
        #expect(try await end(body, #"{"errors":[{"message":"no"}]}"#).reason == .rejected)
        #expect(try await end(body, "", status: .noContent).reason == .uncertain)
        #expect(try await end(body, #"{"data":{"add":{"id":1}}}"#).state == .done)
    }

    @Test func `a GraphQL request and its answer may be of any size`() async throws {
        let pad = { (count: Int) in String(repeating: "x", count: count) }
        let refusal = #"{"extensions":{"trace":"\#(pad(70_000))"},"errors":[{"message":"name is taken"}]}"#
        #expect(try await end(Self.mutation, refusal).lastError?.message.contains("name is taken") == true)
        let upload = #"{"query":"mutation { add(file: \"\#(pad(9 << 20))\") { id } }"}"#
        #expect(try await end(upload, #"{"errors":[{"message":"no"}]}"#).reason == .rejected)
        let large = #"{"data":{"add":"\#(pad(70_000))"}}"#
        #expect(try await end(Self.mutation, large) { $0.transport.maxBody = 69_000 }.reason == .uncertain)
    }

    @Test func `an answer of the media type of GraphQL is read as one`() async throws {
        let refused = try await end(
            #"{"documentId":"x"}"#, #"{"errors":[{"message":"no"}]}"#,
            type: "application/graphql-response+json; charset=utf-8")
        #expect(refused.reason == .rejected)
    }

    @Test(arguments: [
        (Self.mutation, #"{"data":{"add":{"id":1}}}"#), (Self.mutation, #"{"data":{"add":{"id":1}},"errors":[]}"#),
        (Self.mutation, #"{"data":{"add":{"id":1}},"errors":[{"message":"a hint"}]}"#),
        (Self.mutation, #"{"data":{"add":null}}"#), (Self.mutation, #"[{"data":{"add":{"id":1}}},{"data":{}}]"#),
        (#"{"query":"shoes"}"#, #"{"results":[]}"#), (#"{"name":1}"#, #"{"id":7}"#),
        (#"{"name":"alert","query":"{job=\"api\"} |= \"error\""}"#, #"{"id":5}"#), ("[]", "{}"), ("[1]", "{}"),
    ])
    func `an answer with data, or to a request that is not GraphQL, is a delivery`(
        body: String, answer: String
    ) async throws {
        #expect(try await end(body, answer).state == .done)
    }

    @Test func `an uncertain write after an unclear answer is probed where that is declared`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/graphql", .text("{}"))
        let mark = JSONPath(member: "ref")
        let entry = try await bench.store.enqueue(
            WriteRequest(to: "api", .post, HTTPURL("https://api.test/graphql"), body: Array(Self.mutation.utf8))
                .with(\.probe, WriteProbe("/orders?ref={entry}", mark: mark)))
        _ = try await bench.sender().drain()
        let after = try await bench.entry(entry.id)
        #expect(after.state == .queued && after.unknownSince != nil)
    }

    @Test(arguments: [1, 70_000])
    func `a rule reads the whole answer to a write`(bytes: Int) async throws {
        let answer = #"{"pad":"\#(String(repeating: "x", count: bytes))","ok":false}"#
        let entry = try await end("{}", answer) {
            let body = FailureRule.Trait(at: JSONPath(member: "ok"), .equals("false"))
            $0.failureRules = [try FailureRule(when: .answer(.init(body: body)), do: .park, on: .write)]
        }
        #expect(entry.reason == .rejected)
    }

    @Test func `a rule of the source decides first`() async throws {
        let entry = try await end(Self.mutation, #"{"errors":[{"message":"x","extensions":{"code":"THROTTLED"}}]}"#) {
            let path = try JSONPath(parsing: "$.errors[*].extensions.code", allowsInnerEach: true)
            $0.failureRules = [
                try FailureRule(
                    when: .answer(.init(body: .init(at: path, .equals("THROTTLED")))), do: .rateLimited, on: .write)
            ]
        }
        #expect(entry.state == .queued)
    }

    @Test(arguments: [
        ("$.errors", true, #"{"errors":[]}"#, true), ("$.errors", true, #"{"errors":null}"#, false),
        ("$.errors", true, #"{"data":1}"#, false), ("$.errors[*]", true, #"{"errors":[]}"#, false),
        ("$.errors[*]", true, #"{"errors":[{"a":1}]}"#, true), ("$.data", false, #"{"data":null}"#, true),
        ("$.data", false, #"{"data":{"id":1}}"#, false),
        ("$.a[*].b[*].c", true, #"{"a":[{"b":[]},{"b":[{"c":0}]}]}"#, true),
        ("$.a[*].b[*].c", true, #"{"a":[{"b":[{"d":0}]}]}"#, false),
    ])
    func `a rule checks for a value, and reads each element`(
        path: String, exists: Bool, answer: String, fits: Bool
    ) async throws {
        let entry = try await end("{}", answer) {
            let path = try JSONPath(parsing: path, allowsInnerEach: true)
            $0.failureRules = [
                try FailureRule(when: .answer(.init(body: .init(at: path, .exists(exists)))), do: .park, on: .write)
            ]
        }
        #expect(entry.state == (fits ? .parked : .done))
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch, .put, .delete], [true, false])
    func `a 304 is a refusal, but of a PUT or DELETE under a condition`(
        method: HTTPRequest.Method, isConditional: Bool
    ) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.notModified))
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "api", method, HTTPURL("https://api.test/a"),
                headerFields: isConditional ? [.ifMatch: "\"1\""] : [:],
                body: method == .delete ? nil : Array("{}".utf8)))
        _ = try await bench.sender().drain()
        let after = try await bench.entry(entry.id)
        let isDone = isConditional && method.isIdempotent
        #expect(after.state == (isDone ? .done : .parked))
        #expect(after.reason == (isDone ? nil : .rejected))
    }

    @Test(arguments: [
        (#"{"detail":"the title is empty"}"#, "the title is empty"), (#"{"message":"no\nway"}"#, "no way"),
        (#"{"error":{"message":"too long"}}"#, "too long"), (#"{"errors":["bad"]}"#, "bad"),
        (#"{"errors":[{"detail":"bad name"}]}"#, "bad name"), (#"{"title":"Invalid"}"#, "Invalid"),
        (#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, "field required"),
        (#"[{"message":"no such field","errorCode":"INVALID"}]"#, "no such field"),

        (#"{"errorMessages":["no issue"],"errors":{}}"#, "no issue"), (#"{"fault":{"faultstring":"spike"}}"#, "spike"),
        (#"{"error":{"code":"1","message":{"lang":"en","value":"no entity"}}}"#, "no entity"),
        (#"{"error_msg":"no"}"#, "no"), (#"{"meta":{"error_message":"no"}}"#, "no"),
        (#"{"name":["can't be blank"]}"#, "name: can't be blank"), (#"{"x":1}"#, ""), (#"{"x":["a",1]}"#, ""),
        (#"{"errors":{"title":["is too long","is odd"]}}"#, "title: is too long"), (#"{"Message":"no"}"#, "no"),
        (#""no""#, "no"), (#"{"data":{"error":{"message":"no"}}}"#, "no"), (#"{"userMessage":"no"}"#, "no"),
        ("<html><head><title>Sorry, no</title></head></html>", "Sorry, no"), ("<h1>422</h1><title>no</title>", "no"),
        ("<Error><Code>X</Code><Message>no key</Message></Error>", "no key"), ("<html>x</html>", ""),
        ("<soap:Fault><faultstring xml:lang=\"en\">no</faultstring></soap:Fault>", "no"),
        ("{}", ""), ("[]", ""), ("null", ""),
    ])
    func `a refusal is reported with the origin's own message`(answer: String, words: String) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .text(answer, status: .unprocessableContent))
        let entry = try await bench.enqueue("/a")
        _ = try await bench.sender().drain()
        let message = try #require(try await bench.entry(entry.id).lastError?.message)
        #expect(message.hasSuffix(words.isEmpty ? ")" : ": \(words)"), "\(message)")
    }
}
