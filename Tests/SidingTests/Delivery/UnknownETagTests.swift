// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// An edit that is to be sent under the ETag of its record, while none is known: listings have none.
@Suite struct UnknownETagTests {
    private static let listed = #"{"id":"a","title":"old","votes":1}"#
    private static let etag: HTTPFields = [.eTag: "\"5\""]

    private let bench: EditBench
    private let origin = ScriptedOrigin()

    init() async throws { bench = try await EditBench(listing: Self.listed) }

    private func edit(
        _ change: WriteEdit.Change = .merge, _ body: String? = #"{"title":"mine"}"#, _ policy: ConflictPolicy = .hold
    ) async throws -> QueueEntry {
        try await bench.edit(change, "a", body) { ($0.ifMatch, $0.conflict) = (true, policy) }
    }

    private func shows(_ record: String, _ fields: HTTPFields = etag, then answers: ScriptedAnswer...) {
        origin.set("/posts/a", [.text(record, headerFields: fields)] + answers + [.status(.noContent)])
    }

    /// - Returns: the methods and conditions of the requests.
    private func drain() async throws -> [String] {
        _ = try await bench.sender(over: origin).drain()
        bench.time.advance(by: .seconds(120))
        try await bench.expectSound()
        return origin.takeRequests().map { request in
            let method = request.method.rawValue
            return request.headerFields[.ifMatch].map { "\(method) \($0)" } ?? method
        }
    }

    @Test(arguments: [ConflictPolicy.hold, .theirs, .merge])
    func `the record is asked for first, and the edit sent under the ETag that it has`(policy: ConflictPolicy)
        async throws
    {
        shows(Self.listed)
        let entry = try await edit(.merge, #"{"title":"mine"}"#, policy)
        #expect(try await drain() == ["GET", "PATCH \"5\""])
        let sent = try await bench.entry(entry.id)
        #expect(sent.state == .done && sent.tries == 1)
        #expect(try await bench.events(sent) == ["accepted", "claimed", "probed", "claimed", "delivered"])
    }

    @Test func `what somebody else has changed meanwhile is not overwritten`() async throws {
        shows(#"{"id":"a","title":"theirs","votes":1}"#)
        let entry = try await edit()
        #expect(try await drain() == ["GET"])
        let parked = try await bench.entry(entry.id)
        #expect(parked.state == .parked && parked.reason == .conflict && parked.tries == 0)
        #expect(
            try await bench.store.conflict(of: entry.id)?.theirs
                == (try JSONDocument(#"{"id":"a","title":"theirs","votes":1}"#)))
        // The person has decided, and the ETag is known.
        _ = try await bench.store.resolve(entry.id, as: .mine)
        #expect(try await drain() == ["PATCH \"5\""])
    }

    @Test func `where the origin is to win, the edit is dropped unsent`() async throws {
        shows(#"{"id":"a","title":"theirs","votes":1}"#)
        let entry = try await edit(.merge, #"{"title":"mine"}"#, .theirs)
        #expect(try await drain() == ["GET"])
        #expect(try await bench.entry(entry.id).state == .dropped)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"theirs","votes":1}"#)
    }

    @Test func `an edit that is to win does not ask`() async throws {
        shows(#"{"id":"a","title":"theirs","votes":1}"#)
        _ = try await edit(.merge, #"{"title":"mine"}"#, .mine)
        #expect(try await drain() == ["PATCH"])
    }

    @Test(
        arguments: [(WriteEdit.Change.merge, "PATCH \"5\""), (.replace, nil), (.delete, nil)]
            as [(WriteEdit.Change, String?)])
    func `a change of another member stops what would undo it`(change: WriteEdit.Change, sent: String?) async throws {
        shows(#"{"id":"a","title":"old","votes":2}"#)
        let body = #"{"id":"a","title":"mine","votes":1}"#
        let entry = try await edit(change, change == .delete ? nil : change == .merge ? #"{"title":"mine"}"# : body)
        #expect(try await drain() == ["GET", sent].compactMap(\.self))
        #expect(try await bench.entry(entry.id).state == (sent == nil ? .parked : .done))
    }

    @Test(arguments: [WriteEdit.Change.merge, .replace, .delete])
    func `what listings leave out of a record is no change`(change: WriteEdit.Change) async throws {
        try await bench.pull(#"[{"id":"a","title":"old","votes":1,"by":{"id":7}}]"#)
        shows(#"{"id":"a","title":"old","votes":1,"by":{"id":7,"name":"x"},"text":"long","closed":null}"#)
        let body = #"{"id":"a","title":"mine","votes":1}"#
        let entry = try await edit(change, change == .delete ? nil : body)
        #expect(try await drain().count == 2)
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test(arguments: [
        ScriptedAnswer.status(.notFound), .status(.methodNotAllowed), .status(.forbidden),
        .text("[]", headerFields: [.contentType: "application/json"]),
        .text(#"{"id":"b","title":"old"}"#, headerFields: etag),
    ])
    func `an origin that does not show the record gets the edit without the condition`(answer: ScriptedAnswer)
        async throws
    {
        origin.set("/posts/a", answer, .status(.noContent))
        let entry = try await edit()
        #expect(try await drain() == ["GET", "PATCH"])
        let details = try await bench.store.history(of: entry.id).filter { $0.event == .claimed }.map(\.detail)
        #expect(details == [nil, "no strong ETag of the record is known: it is sent without If-Match"])
    }

    @Test(arguments: [nil, "W/\"5\""])
    func `without a strong ETag the record is compared all the same`(etag: String?) async throws {
        var fields = HTTPFields()
        fields[.eTag] = etag
        shows(#"{"id":"a","title":"theirs","votes":1}"#, fields)
        let entry = try await edit()
        #expect(try await drain() == ["GET"])
        #expect(try await bench.entry(entry.id).reason == .conflict)
        shows(Self.listed, fields)
        _ = try await bench.store.resolve(entry.id, as: .mine)
        #expect(try await drain() == ["PATCH"])
    }

    @Test(arguments: [
        ScriptedAnswer.failure(Failure(.noInternetConnection, phase: .notSent)),
        .failure(Failure(.timeout(.response), phase: .maybeSent)), .status(.serviceUnavailable),
        .status(.tooManyRequests), .text("<html>sign in</html>", headerFields: [.contentType: "text/html"]),
    ])
    func `while the record cannot be asked for, the edit waits, and nothing may have arrived`(answer: ScriptedAnswer)
        async throws
    {
        origin.set("/posts/a", answer, .text(Self.listed, headerFields: Self.etag), .status(.noContent))
        let entry = try await edit()
        #expect(try await drain() == ["GET"])
        let waiting = try await bench.entry(entry.id)
        #expect(waiting.state == .queued && !waiting.mayHaveArrived && waiting.tries == 0)
        #expect(try await drain() == ["GET", "PATCH \"5\""])
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test func `an origin that never shows the record has the edit parked, not sent`() async throws {
        origin.set("/posts/a", .status(.internalServerError))
        let entry = try await edit()
        for _ in 0..<12 {
            #expect(try await drain().allSatisfy { $0 == "GET" })
            bench.time.advance(by: .seconds(3_600))
        }
        let parked = try await bench.entry(entry.id)
        #expect(parked.state == .parked && parked.reason == .rejected && parked.tries == 0)
        #expect(
            parked.lastError?.message.hasPrefix("no ETag of the record is known, and it cannot be fetched: ") == true)
    }

    @Test(arguments: [WriteEdit.Change.replace, .delete])
    func `a question that was not answered is no try of the edit`(change: WriteEdit.Change) async throws {
        origin.set(
            "/posts/a", .failure(Failure(.timeout(.response), phase: .maybeSent)),
            .text(#"{"id":"a","title":"theirs","votes":1}"#, headerFields: Self.etag))
        let entry = try await edit(change, change == .delete ? nil : #"{"id":"a","title":"mine","votes":1}"#)
        for _ in 0..<2 { #expect(try await drain() == ["GET"]) }
        let parked = try await bench.entry(entry.id)
        #expect(parked.reason == .conflict && !parked.hasUnansweredTry && !parked.mayHaveArrived)
    }

    @Test(arguments: [WriteEdit.Change.merge, .replace, .delete])
    func `what an own edit has brought about is no change of somebody else`(change: WriteEdit.Change) async throws {
        try await bench.pull(#"[{"id":"a","title":"old","at":1}]"#)
        bench.time.advance(by: .seconds(1))
        let first = try await bench.edit(.merge, "a", #"{"title":" mine "}"#)
        try await bench.deliver(first, "", status: 204)
        // The origin has trimmed the title, and counted.
        shows(#"{"id":"a","title":"mine","at":2}"#)
        let next = try await edit(change, change == .delete ? nil : #"{"id":"a","title":"next","at":1}"#)
        #expect(try await drain().count == 2)
        #expect(try await bench.entry(next.id).state == .done)
    }

    @Test func `a page in the form of listings is no change after the question`() async throws {
        shows(
            #"{"id":"a","title":"old","votes":1,"text":"long","tags":[{"id":1,"name":"x"}]}"#,
            then: .status(.serviceUnavailable))
        try await bench.pull(#"[{"id":"a","title":"old","votes":1,"tags":[{"id":1}]}]"#)
        let entry = try await edit(.delete, nil)
        #expect(try await drain() == ["GET", "DELETE \"5\""])
        let before = try await bench.shown("a")
        try await bench.pull(#"[{"id":"a","title":"old","votes":1,"tags":[{"id":1}]}]"#)
        #expect(try await bench.shown("a") == before)
        bench.time.advance(by: .seconds(3_600))
        #expect(try await drain() == ["DELETE \"5\""])
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test func `a member that listings leave out is no change after a page has changed another`() async throws {
        let entry = try await edit(.merge, #"{"text":"mine"}"#)
        try await bench.pull(#"[{"id":"a","title":"new","votes":1}]"#)
        shows(#"{"id":"a","title":"new","votes":1,"text":"long"}"#)
        #expect(try await drain() == ["GET", "PATCH \"5\""])
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test func `an origin that the source has left is not asked`() async throws {
        let entry = try await edit()
        let moved = Source(name: "blog", baseURL: try HTTPURL("https://elsewhere.example"))
        let sender = WriteSender(
            store: bench.store, sources: [moved], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: bench.time.clock))
        _ = try await sender.drain()
        #expect(origin.takeRequests().isEmpty)
        #expect(try await bench.entry(entry.id).reason == .invalid)
    }

    @Test func `a refusal after the question is a conflict, under a key as well`() async throws {
        shows(Self.listed, then: .status(.preconditionFailed), .status(.notFound))
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .patch, try EditBench.url("/posts/a"), body: Array(#"{"title":"mine"}"#.utf8),
                idempotency: Idempotency()
            )
            .with(\.edit, WriteEdit(.merge, of: try EditBench.posts(), key: "a").with(\.ifMatch, true)))
        #expect(try await drain() == ["GET", "PATCH \"5\"", "GET"])
        let parked = try await bench.entry(entry.id)
        #expect(parked.reason == .conflict && parked.tries == 1)
    }

    @Test func `an edit that what was asked has parked does not hold up the writes of its source`() async throws {
        try await bench.pull(#"[{"id":"a","title":"old","votes":1},{"id":"b","title":"old"}]"#)
        shows(#"{"id":"a","title":"theirs","votes":1}"#)
        origin.set("/posts/b", .status(.noContent))
        _ = try await edit()
        let other = try await bench.edit(.merge, "b", #"{"title":"x"}"#)
        var source = try EditBench.posts().source
        source.transport.concurrency = 1
        let sender = WriteSender(
            store: bench.store, sources: [source], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: bench.time.clock))
        #expect(try await sender.drain().map(\.state) == [.parked, .done])
        #expect(try await bench.entry(other.id).state == .done)
    }
}
