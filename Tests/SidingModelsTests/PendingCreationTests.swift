// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

/// Records that the program has created and the origin has not, beside models that cannot hold their temporary ids.
@Suite(.timeLimit(.minutes(5))) struct PendingCreationTests {
    private struct Draft: Codable, Sendable, Equatable {
        var title: String
        var comments = 0
    }

    /// An id that holds either.
    private enum EitherID: Codable, Sendable, Equatable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    private struct OpenTicket: Codable, Sendable, Equatable {
        var id: EitherID
        var title: String
        var comments: Int
    }

    private struct Comment: Codable, Sendable, Equatable {
        var id: Int
        var issue: Int
    }

    /// Two tickets of the origin, without a route to it.
    private func bench() async throws -> TypedBench {
        let bench = try await TypedBench(
            searchable: [\.title], connectivity: TestConnectivity(hasUsableRoute: false))
        try await bench.siding.save([Ticket(id: 1, title: "b"), Ticket(id: 2, title: "c")], to: bench.issues)
        return bench
    }

    @Test func `a program reads the draft of a creation that waits`() async throws {
        struct Draft: Codable, Sendable, Equatable {
            var title: String
            var createdAt: Date
        }
        let bench = try await TypedBench(connectivity: TestConnectivity(hasUsableRoute: false))
        let draft = Draft(title: "a", createdAt: Date(timeIntervalSince1970: 7))
        try await bench.siding.create(draft, in: bench.issues)
        let record = try #require(try await bench.siding.pendingCreations(of: bench.issues).first)
        #expect(try bench.issues.model(of: record, as: Draft.self) == draft)
        #expect(throws: RecordError.self) { _ = try bench.issues.model(of: record, as: Ticket.self) }
    }

    @Test func `typed reads leave out what the model cannot hold, and the count agrees with them`() async throws {
        let bench = try await bench()
        let entry = try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        #expect(entry.state == .queued)
        let all = bench.siding.records(of: bench.issues)
        for query in [all, all.where(\.comments == 0), all.sorted(by: \.title), all.filter { $0.comments == 0 }] {
            #expect(try await query.array().map(\.id) == [1, 2])
            #expect(try await query.count() == 2)
            var ids: [Int] = []
            for try await ticket in query { ids.append(ticket.id) }
            #expect(ids == [1, 2])
            // The draft would come first by title, and counts neither here nor there.
            #expect(try await query.offset(1).limit(1).array().map(\.id) == [2])
            #expect(try await query.offset(1).count() == 1)
        }
        #expect(try await all.where(\.title == "a").first == nil)
        #expect(try await bench.siding.record(of: bench.issues, key: try #require(entry.recordKey)) == nil)
        #expect(try await bench.siding.search("a", in: bench.issues).isEmpty)
    }

    @Test func `a creation under a key of the program's own is left out likewise, and is pending`() async throws {
        let bench = try await bench()
        let write = try WriteRequest.json(.put, "/issues/9", ["title": "a"], to: bench.issues.untyped.source)
            .with(\.edit, WriteEdit(.create, of: bench.issues, key: "9"))
        _ = try await bench.siding.send(write)
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [1, 2])
        #expect(try await bench.siding.records(of: bench.issues).count() == 2)
        #expect(try await bench.siding.record(of: bench.issues, key: 9) == nil)
        #expect(try await bench.siding.pendingCreations(of: bench.issues).map(\.key) == ["9"])

        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":9,"title":"a","comments":4}"#)
        #expect(try await bench.siding.drain().map(\.state) == [.done])
        #expect(try await bench.siding.pendingCreations(of: bench.issues).isEmpty)
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [1, 2, 9])
    }

    @Test func `a record of which an answer has too little is left out until a page has it`() async throws {
        let bench = try await bench()
        _ = try await bench.siding.create(["title": "a"], in: bench.issues)
        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":8}"#)
        var events = bench.siding.changes(of: bench.issues, clock: ManualClock()).makeAsyncIterator()
        #expect(try await events.next()?.models?.map(\.id) == [1, 2])
        #expect(try await bench.siding.drain().map(\.state) == [.done])
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [1, 2])
        #expect(try await bench.siding.records(of: bench.issues).count() == 2)
        #expect(try await bench.siding.pendingCreations(of: bench.issues).isEmpty)

        try await bench.sync(#"[{"id":1,"title":"b","comments":0},{"id":8,"title":"a","comments":3}]"#)
        let difference = try #require(try await events.next()?.difference)
        #expect(difference.inserted.map(\.id) == [8])
        #expect(try await bench.siding.record(of: bench.issues, key: 8)?.comments == 3)
    }

    @Test func `it is left out also while a listing lags behind, and while an edit of it waits`() async throws {
        let bench = try await bench()
        _ = try await bench.siding.create(["title": "a"], in: bench.issues)
        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":8}"#)
        #expect(try await bench.siding.drain().map(\.state) == [.done])
        for _ in 0..<2 {
            try await bench.sync(#"[{"id":1,"title":"b","comments":0}]"#)
            #expect(try await bench.siding.records(of: bench.issues).array().map(\.id).contains(1))
        }
        bench.connectivity.set(hasUsableRoute: false)
        _ = try await bench.siding.update(key: 8, with: ["title": "c"], in: bench.issues)
        let all = bench.siding.records(of: bench.issues)
        #expect(try await all.array().map(\.id) == [1, 2])
        #expect(try await all.count() == 2)
        #expect(try await bench.siding.record(of: bench.issues, key: 8) == nil)
    }

    @Test func `an answer with the id alone leaves the draft, which the model can read`() async throws {
        let bench = try await bench()
        _ = try await bench.siding.create(Draft(title: "a", comments: 4), in: bench.issues)
        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":8}"#)
        #expect(try await bench.siding.drain().map(\.state) == [.done])
        let record = try await bench.siding.record(of: bench.issues, key: 8)
        #expect(record?.title == "a" && record?.comments == 4)
    }

    @Test func `a created record whose id is not known fails no typed read, and is not pending`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save([Ticket(id: 1, title: "b"), Ticket(id: 2, title: "c")], to: bench.issues)
        let entry = try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        #expect(entry.state == .done)
        #expect(try await bench.siding.rawRecords(of: bench.issues).count == 3)
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [1, 2])
        #expect(try await bench.siding.records(of: bench.issues).count() == 2)
        #expect(try await bench.siding.pendingCreations(of: bench.issues).isEmpty)
    }

    @Test func `they are values of their own, under the key of their entry, until the origin has them`() async throws {
        let bench = try await bench()
        let entry = try await bench.siding.create(Draft(title: "a", comments: 4), in: bench.issues)
        let pending = try await bench.siding.pendingCreations(of: bench.issues)
        #expect(pending.map(\.key) == [try #require(entry.recordKey)])
        #expect(try RecordDecoder(.standard).decode(Draft.self, pending[0]) == Draft(title: "a", comments: 4))
        #expect(try await bench.siding.rawRecords(of: bench.issues).count == 3)

        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":8,"title":"a","comments":4}"#)
        #expect(try await bench.siding.drain().map(\.state) == [.done])
        #expect(try await bench.siding.pendingCreations(of: bench.issues).isEmpty)
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [1, 2, 8])
    }

    @Test func `a model with either kind of id sees them, unless the draft has no value for a member`() async throws {
        let bench = try await bench()
        let open = try Resource<OpenTicket>(bench.issues.untyped)
        let entry = try await bench.siding.create(Draft(title: "a"), in: open)
        let key = EitherID.text(try #require(entry.recordKey))
        #expect(try await bench.siding.records(of: open).array().map(\.id) == [.number(1), .number(2), key])
        #expect(try await bench.siding.records(of: open).count() == 3)
        try await bench.siding.create(["title": "without comments"], in: open)
        #expect(try await bench.siding.records(of: open).count() == 3)
        #expect(try await bench.siding.records(of: open).array().count == 3)
        #expect(try await bench.siding.pendingCreations(of: open).count == 2)
    }

    @Test func `a stream continues past them, and inserts them with their real ids`() async throws {
        let bench = try await bench()
        var events = bench.siding.changes(of: bench.issues, clock: ManualClock()).makeAsyncIterator()
        #expect(try await events.next()?.models?.map(\.id) == [1, 2])
        try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        var late = bench.siding.changes(of: bench.issues, clock: ManualClock()).makeAsyncIterator()
        #expect(try await late.next()?.models?.map(\.id) == [1, 2])
        try await bench.siding.save(Ticket(id: 3), to: bench.issues)
        #expect(try await events.next()?.difference?.inserted.map(\.id) == [3])

        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":8,"title":"a","comments":0}"#)
        try await bench.siding.drain()
        let changes = try await events.next()?.difference
        #expect(changes?.inserted.map(\.id) == [8])
        // The reader never heard of the temporary id.
        #expect(changes?.deleted.isEmpty == true)
    }

    @Test func `a feed of the changes since a run passes them over`() async throws {
        let bench = try await bench()
        try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        var inserted: [Int] = []
        for try await difference in try await bench.siding.changes(of: bench.issues, since: 0) {
            inserted += difference.inserted.map(\.id)
        }
        #expect(inserted == [1, 2])
    }

    @Test func `a record whose edit names a record that is yet to be created does not fail its readers`() async throws {
        let bench = try await bench()
        let comments = try Resource<Comment>(
            "comments", from: bench.issues.untyped.source, at: "/comments", key: \.id)
        try await bench.siding.save([Comment(id: 5, issue: 1), Comment(id: 6, issue: 2)], to: comments)
        let entry = try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        try await bench.siding.update(key: 5, with: ["issue": try #require(entry.recordKey)], in: comments)
        #expect(try await bench.siding.records(of: comments).array() == [Comment(id: 6, issue: 2)])
        #expect(try await bench.siding.records(of: comments).count() == 1)
        #expect(try await bench.siding.pendingCreations(of: comments).isEmpty)

        bench.connectivity.set(hasUsableRoute: true)
        bench.origin.answer.set(#"{"id":8,"title":"a","comments":0}"#)
        try await bench.siding.drain()
        #expect(try await bench.siding.record(of: comments, key: 5)?.issue == 8)
    }

    @Test func `a record of the origin that does not decode still fails its readers`() async throws {
        let bench = try await bench()
        try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        try await bench.siding.save(["id": 4], to: try Resource<[String: Int]>(bench.issues.untyped))
        await #expect(throws: RecordError.self) { try await bench.siding.records(of: bench.issues).array() }
    }
}
