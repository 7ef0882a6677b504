// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// Answers to writes that show, without a word about it, only some members of the record.
@Suite struct AnsweredPartTests {
    private static let post = #"{"id":"a","title":"old","votes":1}"#

    private func bench() async throws -> EditBench { try await EditBench(listing: Self.post) }

    @Test(arguments: [
        (#"{"id":"p7"}"#, #"{"title":"new","votes":0,"id":"p7"}"#),
        (#"{"id":"p7","status":"created"}"#, #"{"title":"new","votes":0,"id":"p7","status":"created"}"#),
        // It shows what was sent, so it is the record: what it lacks was for the origin alone.
        (#"{"id":"p7","title":"New"}"#, #"{"id":"p7","title":"New"}"#),
    ])
    func `a created record is the draft where the answer has nothing of it`(
        answer: String, expected: String
    ) async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new","votes":0}"#)
        try await bench.deliver(create, answer, status: 201)
        #expect(try await bench.shown("p7") == expected)
        try await bench.expectSound()
    }

    @Test(arguments: [
        (#"{"id":"a","title":"1"}"#, #"{"id":"a","title":"1","votes":1}"#),
        (#"{"id":"a","updated":5}"#, #"{"id":"a","title":"1","votes":1,"updated":5}"#),
        (#"{"id":"a"}"#, #"{"id":"a","title":"1","votes":1}"#),
        (#"{"votes":2,"title":"1","id":"a"}"#, #"{"votes":2,"title":"1","id":"a"}"#),
    ])
    func `a changed record keeps the members that the answer lacks`(answer: String, expected: String) async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"1"}"#)
        try await bench.deliver(entry, answer)
        #expect(try await bench.shown("a") == expected)
        try await bench.expectSound()
    }

    @Test func `an answer that is said to be whole replaces the record`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"1"}"#) { $0.answersPart = false }
        try await bench.deliver(entry, #"{"id":"a","title":"1"}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1"}"#)
    }

    @Test func `a member that the write removed need not be in the answer`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"votes":null}"#)
        var answer = WriteAnswer(
            status: 200, contentType: "application/json", body: Array(#"{"id":"a","title":"old"}"#.utf8))
        answer.etag = "\"v2\""
        try await bench.recordResult(entry, .delivered(answer))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"old"}"#)
        #expect(try await bench.sqlite.rows("SELECT etag FROM siding_records_posts") == [["\"v2\""]], "it is whole")
    }

    @Test func `what a write says to the origin alone is no member of the record`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"1","command":"close"}"#)
        try await bench.deliver(entry, #"{"id":"a","title":"1","votes":1}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1","votes":1}"#)
    }
}
