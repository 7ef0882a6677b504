// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

/// Writes to the origin, of models.
@Suite(.timeLimit(.minutes(5))) struct OwnWriteTests {
    private struct Draft: Codable, Sendable {
        var id: Int?
        var title: String
        var score: Double?
    }

    private static func text(_ request: ScriptedTransport.Request) -> String {
        let (head, body) = (request.request, String(decoding: request.body, as: UTF8.self))
        return [head.method.rawValue, head.path ?? "", body].filter { !$0.isEmpty }.joined(separator: " ")
    }

    private static func policy(of entry: QueueEntry, in store: Store) async throws -> ConflictPolicy? {
        try await store.read { snapshot in try OutboxEditsTable.load(entry.id, snapshot)?.terms?.conflict }
    }

    @Test func `records are created, changed and deleted at the collection of their resource`() async throws {
        let bench = try await TypedBench()
        bench.origin.answer.set(#"{"id":7,"title":"a","comments":0}"#)
        let created = try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        #expect(created.state == .done && created.operation == "issues.create")
        #expect(try await bench.siding.records(of: bench.issues).array() == [Ticket(id: 7, title: "a")])
        bench.origin.answer.set(#"{"id":7,"title":"b","comments":0}"#)
        #expect(try await bench.siding.update(key: 7, with: ["title": "b"], in: bench.issues).state == .done)
        #expect(try await bench.titles() == ["b"])
        bench.origin.answer.set("{}")
        #expect(try await bench.siding.delete(key: 7, in: bench.issues).state == .done)
        #expect(try await bench.titles().isEmpty)
        #expect(
            bench.origin.writes.value.map(Self.text) == [
                #"POST /issues {"title":"a"}"#, #"PATCH /issues/7 {"title":"b"}"#, "DELETE /issues/7",
            ])
        #expect(bench.origin.writes.value[0].request.headerFields[.contentType] == "application/json")
    }

    @Test func `a resource without a model takes them, too`() async throws {
        let bench = try await TypedBench()
        let issues: AnyResource = bench.issues.untyped
        bench.origin.answer.set(#"{"id":7,"title":"a","comments":0}"#)
        #expect(try await bench.siding.create(Draft(title: "a"), in: issues).state == .done)
        #expect(try await bench.siding.update(key: 7, with: ["title": "b"], in: issues).state == .done)
        #expect(try await bench.siding.delete(key: "7", in: issues).state == .done)
        #expect(
            bench.origin.writes.value.map(Self.text) == [
                #"POST /issues {"title":"a"}"#, #"PATCH /issues/7 {"title":"b"}"#, "DELETE /issues/7",
            ])
    }

    @Test(arguments: [".", "..", ""])
    func `a key that names a folder, or nothing, is refused, and nothing is sent`(key: String) async throws {
        let bench = try await TypedBench()
        await #expect(throws: StoreError.self) { try await bench.siding.delete(key: key, in: bench.issues) }
        await #expect(throws: StoreError.self) {
            try await bench.siding.update(key: key, with: ["title": "b"], in: bench.issues)
        }
        #expect(bench.origin.writes.value.isEmpty)
        #expect(try await bench.siding.queueEntries().isEmpty)
    }

    @Test func `offline they show at once, wait for their dependencies, and follow the conflict policy`() async throws {
        let bench = try await TypedBench(connectivity: TestConnectivity(hasUsableRoute: false))
        try await bench.siding.save([Ticket(id: 1, title: "a"), Ticket(id: 2)], to: bench.issues)
        let first = try await bench.siding.delete(key: 2, in: bench.issues)
        let update = try await bench.siding.update(
            key: "1", with: ["title": "b"], in: bench.issues, conflict: .merge, after: [first.id])
        #expect(update.state == .queued && update.waitsOn == 1)
        #expect(try await bench.siding.records(of: bench.issues).array() == [Ticket(id: 1, title: "b")])
        #expect(try await Self.policy(of: update, in: bench.store) == .merge)
        #expect(try await Self.policy(of: first, in: bench.store) == .hold)
        let draft = try await bench.siding.create(Draft(title: "c"), in: bench.issues)
        let later = try await bench.siding.update(
            key: try #require(draft.recordKey), with: ["title": "d"], in: bench.issues)
        #expect(later.waitsOn == 1)
        #expect(bench.origin.writes.value.isEmpty)
    }

    @Test func `the writes of a config have method, path, body, key and policy`() async throws {
        var bench = try await TypedBench()
        var declaration = WriteDeclaration(
            "issues", at: bench.issues.untyped.source,
            operations: [
                .create: .init(.post, "/tickets"), .update: .init(.put, "/tickets/{id}"),
            ])
        (declaration.resource, declaration.record) = (bench.issues.untyped, try JSONPath(parsing: "$.ticket"))
        (declaration.idempotency, declaration.conflict) = (
            Idempotency(field: try #require(HTTPField.Name("X-Once"))), .theirs
        )
        bench.issues.untyped.writes = [declaration]
        bench.origin.answer.set(#"{"ticket":{"id":7,"title":"a","comments":0}}"#)
        let created = try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        let update = try await bench.siding.update(key: 7, with: Draft(id: 7, title: "b"), in: bench.issues)
        #expect(
            bench.origin.writes.value.map(Self.text) == [
                #"POST /tickets {"ticket":{"title":"a"}}"#, #"PUT /tickets/7 {"ticket":{"id":7,"title":"b"}}"#,
            ])
        #expect(bench.origin.writes.value[0].request.headerFields[try #require(HTTPField.Name("X-Once"))] != nil)
        #expect(created.recordKey == "7")
        #expect(try await Self.policy(of: update, in: bench.store) == .theirs)
        let error = await #expect(throws: StoreError.self) { try await bench.siding.delete(key: 7, in: bench.issues) }
        #expect(error?.kind == .invalidWrite)
        #expect(error?.description.contains("'issues' declares no delete; it has create, update") == true)
    }

    @Test func `a create by PUT takes the key from the draft`() async throws {
        var bench = try await TypedBench()
        var declaration = WriteDeclaration(
            "issues", at: bench.issues.untyped.source, operations: [.create: .init(.put, "/tickets/{id}")])
        declaration.resource = bench.issues.untyped
        bench.issues.untyped.writes = [declaration]
        bench.origin.answer.set(#"{"id":9,"title":"a","comments":0}"#)
        #expect(try await bench.siding.create(Draft(id: 9, title: "a"), in: bench.issues).recordKey == "9")
        #expect(bench.origin.writes.value.map(Self.text) == [#"PUT /tickets/9 {"id":9,"title":"a"}"#])
        let error = await #expect(throws: StoreError.self) {
            try await bench.siding.create(Draft(title: "a"), in: bench.issues)
        }
        #expect(error?.description.contains("issues.create needs the id of the record") == true)
    }

    @Test func `a write that cannot be made is refused, and nothing is stored`() async throws {
        let bench = try await TypedBench()
        let unwritable = await #expect(throws: StoreError.self) {
            try await bench.siding.create(Draft(title: "a", score: .nan), in: bench.issues)
        }
        #expect(unwritable?.kind == .invalidWrite)
        #expect(unwritable?.description.contains("the record for 'issues' cannot be written as JSON") == true)
        var search = bench.issues
        search.untyped.method = .post
        let listed = search
        let placeless = await #expect(throws: StoreError.self) {
            try await bench.siding.create(Draft(title: "a"), in: listed)
        }
        #expect(placeless?.description.contains("nothing says how records of 'issues' are written") == true)
        #expect(try await bench.siding.queueEntries().isEmpty)
    }

    @Test func `the query of a listing and a slash at its end are kept out of, and in, the paths of records`() throws {
        var resource = AnyResource(
            "issues", from: try Source(baseURL: "https://example.com/v2"), at: "/issues/?state=all", key: "id")
        #expect(
            try resource.writeDeclaration().request(.delete, id: "7").url.description
                == "https://example.com/v2/issues/7/")
        #expect(try resource.writeDeclaration().request(.create).url.description == "https://example.com/v2/issues/")
        resource.path = "/issues"
        #expect(
            try resource.writeDeclaration().request(.update, id: "a/b").url.description
                == "https://example.com/v2/issues/a%2Fb")
    }

    @Test func `typed resources stand where raw ones do`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save([Ticket(id: 1), Ticket(id: 2)], to: bench.issues)
        #expect(try await bench.siding.rawRecords(of: bench.issues, after: "1").map(\.key) == ["2"])
        #expect(try await bench.siding.rawRecord(of: bench.issues, key: "1")?.key == "1")
        #expect(WriteEdit(.merge, of: bench.issues, key: "1").resource == "issues")
    }
}
