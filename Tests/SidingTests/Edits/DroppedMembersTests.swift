// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import Testing

@testable import Siding

/// What a resource does not store, it does not store of its own writes and their answers either.
@Suite struct DroppedMembersTests {
    private static func drop(_ edit: inout WriteEdit) {
        edit.schema.transforms.dropped = [JSONPath(member: "note"), JSONPath(members: ["owner", "mail"])]
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        let sent: String
        let kept: String
        var testDescription: String { String(sent.prefix(60)) }
    }

    private static let answers = [
        Answer(sent: #"{"id":"7","note":"hush","n":1.50}"#, kept: #"{"id":"7","n":1.50}"#),
        Answer(sent: #" {"note":{"note":1},"owner":{"mail":"hush","name":"Ann"}}"#, kept: #"{"owner":{"name":"Ann"}}"#),
        Answer(sent: #"{"data":[{"id":"7","note":"hush"},[{"note":1}]]}"#, kept: #"{"data":[{"id":"7"},[{}]]}"#),
        Answer(sent: #"[{"owner":{"owner":{"mail":"hush"},"mail":"hush"}}]"#, kept: #"[{"owner":{"owner":{}}}]"#),
        Answer(sent: #"{"id":"7","title":"note"}"#, kept: #"{"id":"7","title":"note"}"#),
        Answer(sent: #"{"note":"hush","id":"#, kept: ""),
        Answer(sent: "no such thing", kept: "no such thing"),
        Answer(
            sent: #"{"pad":"\#(String(repeating: "x", count: WriteAnswer.bodyLimit))","note":"hush"}"#,
            kept: #"{"pad":"\#(String(repeating: "x", count: WriteAnswer.bodyLimit - 8))"#),
    ]

    @Test(arguments: answers, [ParkReason?.none, .conflict, .rejected])
    func `answers are kept without dropped members, at any place of a record`(
        answer: Answer, refusal: ParkReason?
    ) async throws {
        let bench = try await EditBench()
        let entry = try await bench.edit(.create, nil, #"{"title":"mine"}"#, Self.drop)
        try await bench.recordResult(entry, refusal.map { .parked($0, answer: answer.sent) } ?? .answered(answer.sent))
        let kept = try #require(try await bench.store.content(of: entry.id)?.answer)
        #expect(String(decoding: kept.body, as: UTF8.self) == answer.kept)
    }

    @Test func `a record found by a probe is kept without them as well`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.edit(.create, nil, #"{"title":"mine"}"#, Self.drop)
        let found = WriteAnswer(status: 200, contentType: nil, body: Array(#"{"id":"7","note":"hush"}"#.utf8))
        try await bench.recordResult(entry, .arrived(found))
        let kept = try #require(try await bench.store.content(of: entry.id)?.answer)
        #expect(String(decoding: kept.body, as: UTF8.self) == #"{"id":"7"}"#)
        #expect(try await bench.shown("7") == #"{"id":"7"}"#)
    }

    @Test func `an edit is shown without dropped members, is sent with them, and leaves none of them`() async throws {
        let bench = try await EditBench()
        let body = #"{"id":"a","title":"mine","note":"hush"}"#
        let entry = try await bench.edit(.replace, "a", body, Self.drop)
        let shown = #"{"id":"a","title":"mine"}"#
        #expect(try await bench.shown("a") == shown)
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.text == body)
        try await bench.recordResult(write, .answered(""))
        #expect(try await bench.shown("a") == shown)
        let columns = try await bench.sqlite.rows("SELECT member FROM siding_columns ORDER BY member")
        #expect(columns == [["id"], ["title"]])
        try await bench.expectSound()
    }
}
