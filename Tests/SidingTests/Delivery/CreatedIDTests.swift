// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// The id of a created record whose answer has no body: the place that `Location` names.
@Suite struct CreatedIDTests {
    /// Sends a create, and an update of the new record, to an origin that answers with `location`.
    private func create(
        _ location: String?, body: String = "", status: HTTPResponse.Status = .created,
        over pull: String = #"[{"id":"a"}]"#
    ) async throws -> (bench: EditBench, create: QueueEntry, update: QueueEntry) {
        let bench = try await EditBench()
        try await bench.pull(pull)
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let temporary = try #require(create.recordKey)
        let update = try await bench.edit(.merge, temporary, #"{"title":"newer"}"#)
        let origin = ScriptedOrigin()
        var fields = HTTPFields()
        fields[.location] = location
        origin.set("/posts", .text(body, status: status, headerFields: fields))
        for path in ["/posts/p7", "/posts/42", "/posts/a%20b"] { origin.set(path, .status(.noContent)) }
        _ = try await bench.sender(over: origin).drain()
        try await bench.expectSound()
        return (bench, try await bench.entry(create.id), try await bench.entry(update.id))
    }

    @Test(arguments: [
        ("/posts/p7", "p7"), ("https://api.example.org/posts/p7", "p7"), ("posts/p7", "p7"), ("/posts/a%20b", "a b"),
        ("/posts/p7/", "p7"), ("http://api.example.org/posts/p7", "p7"),
    ])
    func `a write that waits for the new record is sent to the place that the origin names`(
        location: String, key: String
    ) async throws {
        let (bench, create, update) = try await create(location)
        #expect(create.state == .done && update.state == .done)
        #expect(create.recordKey == key)
        #expect(try await bench.shown(key)?.contains("newer") == true)
    }

    @Test func `the place of an accepted request that is another record's names none`() async throws {
        let (bench, _, update) = try await create(
            "/posts/p7", status: .accepted, over: #"[{"id":"p7","title":"other"}]"#)
        #expect(update.state == .parked && update.reason == .dependency)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"other"}"#)
    }

    @Test(arguments: ["/posts/0042", "/posts/%E9"])
    func `an id that would be another one when it is sent is none`(location: String) async throws {
        let (_, _, update) = try await create(
            location, over: location.hasSuffix("42") ? #"[{"id":1}]"# : #"[{"id":"a"}]"#)
        #expect(update.state == .parked && update.reason == .dependency)
    }

    @Test func `a number is one where the keys of the resource are`() async throws {
        let (bench, create, _) = try await create("/posts/42", over: #"[{"id":1}]"#)
        #expect(create.recordKey == "42")
        #expect(try await bench.shown("42") == #"{"title":"newer","id":42}"#)
    }

    @Test(arguments: [
        nil, "/posts", "/posts/", "/other/p7", "/posts/p7/parts", "https://elsewhere.example.org/posts/p7", "",
    ])
    func `any other place names no record`(location: String?) async throws {
        let (_, create, update) = try await create(location)
        #expect(create.state == .done)
        #expect(update.state == .parked && update.reason == .dependency)
    }

    @Test(arguments: [#"{"data":{"id":"p7"}}"#, #"{"result":{"id":"p7","title":"new"}}"#])
    func `an answer with the record as its only member gives its id`(body: String) async throws {
        let (bench, create, update) = try await create(nil, body: body)
        #expect(create.state == .done && create.recordKey == "p7" && update.state == .done)
        #expect(try await bench.shown("p7")?.contains("newer") == true)
    }

    @Test(arguments: [
        #"{"user":{"id":"u1"},"issue":{"id":"p7"}}"#, #"{"ok":true,"by":{"id":"u1"}}"#, #"{"data":"p7"}"#,
        #"{"error":{"id":"p7"}}"#, #"{"job":{"id":"p7"}}"#, #"{"user":{"id":"p7"}}"#, #"{"data":{"id":7}}"#,
        #"{"data":[{"id":"p7"}]}"#, #"{"data":{"id":"p7"},"meta":{}}"#,
    ])
    func `any other answer may be about something else, and names no record`(body: String) async throws {
        let (_, create, update) = try await create(nil, body: body)
        #expect(create.state == .done)
        #expect(update.state == .parked && update.reason == .dependency)
    }

    @Test func `an accepted request names no record by its envelope, and a place wins over it`() async throws {
        let (_, _, accepted) = try await create(nil, body: #"{"data":{"id":"p7"}}"#, status: .accepted)
        #expect(accepted.state == .parked && accepted.reason == .dependency)
        let (_, create, update) = try await create("/posts/p7", body: #"{"data":{"id":"job1"}}"#)
        #expect(create.recordKey == "p7" && update.state == .done)
    }

    @Test(arguments: [#"{"id":""}"#, #"{"id":null}"#, #"{"id":{}}"#, #"{"id":"."}"#, "{}"])
    func `an answer without a usable id leaves it to the place that the origin names`(body: String) async throws {
        let (bench, create, update) = try await create("/posts/p7", body: body)
        #expect(create.state == .done && create.recordKey == "p7" && update.state == .done)
        #expect(try await bench.shown("p7")?.contains("newer") == true)
    }

    @Test(arguments: [nil, "/jobs/a"])
    func `the body of an accepted request is about the job, not about the record`(location: String?) async throws {
        let (bench, create, update) = try await create(
            location, body: #"{"id":"a","status":"queued"}"#, status: .accepted)
        #expect(create.state == .done)
        #expect(update.state == .parked && update.reason == .dependency)
        #expect(try await bench.shown("a") == #"{"id":"a"}"#)
    }

    @Test func `the id in the answer comes first`() async throws {
        let (_, create, _) = try await create("/posts/a%20b", body: #"{"id":"p7","title":"new"}"#)
        #expect(create.recordKey == "p7")
    }
}
