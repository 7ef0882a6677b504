// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@testable import Siding
@testable import SidingTesting

/// The origin refuses an edit because of its record, which cannot be fetched just then.
@Suite struct UnfetchedRecordTests {
    private static let now = ScriptedAnswer.text(
        #"{"id":"a","title":"theirs","votes":9}"#, headerFields: [.eTag: "\"2\""])
    /// Only the votes differ.
    private static let mergeable = ScriptedAnswer.text(
        #"{"id":"a","title":"old","votes":9}"#, headerFields: [.eTag: "\"2\""])

    private static let failures: [ScriptedAnswer] = [
        .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)),
        .failure(Failure(.noInternetConnection, phase: .notSent)),
        .failure(Failure(.timeout(.response), phase: .maybeSent)),
        .failure(Failure(.connectionLost, phase: .maybeSent)),
        .failure(Failure(.credentialUnavailable, phase: .notSent)),
        .status(.serviceUnavailable), .status(.tooManyRequests), .status(.internalServerError), .status(.badGateway),
        .text("<html>sign in</html>", headerFields: [.contentType: "text/html"]),
    ]

    /// An edit of the title under `If-Match: "1"`, and the origin that answers it.
    private struct Refused {
        let bench: EditBench
        let origin = ScriptedOrigin()
        let entry: QueueEntry

        init(_ policy: ConflictPolicy, _ answers: ScriptedAnswer...) async throws {
            bench = try await EditBench.conflict()
            let first = try await bench.edit(.merge, "a", #"{"votes":1}"#)
            let answer = WriteAnswer(status: 200, contentType: nil, etag: "\"1\"", body: Array(EditBench.post.utf8))
            try await bench.recordResult(first, .delivered(answer))
            entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { edit in
                (edit.ifMatch, edit.conflict) = (true, policy)
            }
            origin.set("/posts/a", answers)
        }

        /// Sends what is due.
        ///
        /// - Returns: the methods and conditions of the requests.
        func drain() async throws -> [String] {
            _ = try await bench.sender(over: origin).drain()
            bench.time.advance(by: .seconds(120))
            return origin.takeRequests().map { request in
                let method = request.method.rawValue
                return request.headerFields[.ifMatch].map { "\(method) \($0)" } ?? method
            }
        }

        var state: QueueEntry { get async throws { try await bench.entry(entry.id) } }
    }

    @Test(arguments: failures.indices)
    func `where the origin is to win, the edit waits until it is known what the origin has`(index: Int) async throws {
        let refused = try await Refused(
            .theirs, .status(.preconditionFailed), Self.failures[index], .status(.preconditionFailed), Self.now)
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        let waiting = try await refused.state
        #expect(waiting.state == .queued && !waiting.hasUnansweredTry)
        #expect(waiting.lastError?.status == 412)
        #expect(waiting.lastError?.message.contains("; the record could not be fetched: ") == true)
        #expect(try await refused.bench.shown("a")?.contains("mine") == true)
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        #expect(try await refused.state.state == .dropped)
        #expect(try await refused.bench.shown("a") == #"{"id":"a","title":"theirs","votes":9}"#)
        try await refused.bench.expectSound()
    }

    @Test(arguments: failures.indices)
    func `a merge waits for the record, too`(index: Int) async throws {
        let refused = try await Refused(
            .merge, .status(.preconditionFailed), Self.failures[index], .status(.preconditionFailed), Self.mergeable,
            .status(.noContent))
        for _ in 0..<2 { #expect(try await refused.drain() == ["PATCH \"1\"", "GET"]) }
        #expect(try await refused.drain() == ["PATCH \"2\""])
        #expect(try await refused.state.state == .done)
        #expect(try await refused.bench.shown("a") == #"{"id":"a","title":"mine","votes":9}"#)
    }

    @Test func `a merge is not given up for the record's many failures`() async throws {
        let refused = try await Refused(
            .merge, .status(.preconditionFailed), .status(.badGateway), .status(.preconditionFailed),
            .status(.badGateway), .status(.preconditionFailed), .status(.badGateway), .status(.preconditionFailed),
            Self.mergeable, .status(.noContent))
        for _ in 0..<4 { #expect(try await refused.drain() == ["PATCH \"1\"", "GET"]) }
        #expect(try await refused.drain() == ["PATCH \"2\""])
        #expect(try await refused.state.state == .done)
    }

    @Test func `a record that cannot be fetched again and again is not waited for without an end`() async throws {
        let refused = try await Refused(.merge)
        let pair: [ScriptedAnswer] = [.status(.preconditionFailed), .status(.badGateway)]
        refused.origin.set("/posts/a", (1...12).flatMap { _ in pair })
        for attempt in 1...10 {
            #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
            #expect(try await refused.state.state == (attempt < 10 ? .queued : .parked))
            refused.bench.time.advance(by: .seconds(3_600))
        }
        #expect(try await refused.state.reason == .conflict)
        #expect(try await refused.drain() == [])
    }

    @Test func `policies that do not need the record do not wait for it`() async throws {
        for policy in [ConflictPolicy.hold, .mine] {
            let refused = try await Refused(
                policy, .status(.preconditionFailed), .status(.badGateway), .status(.noContent))
            _ = try await refused.drain()
            #expect(try await refused.state.reason == (policy == .hold ? .conflict : nil))
            #expect(try await refused.drain() == (policy == .hold ? [] : ["PATCH"]))
            #expect(try await refused.state.state == (policy == .hold ? .parked : .done))
        }
    }

    @Test func `a record that could not be fetched is called stored, and a retry fetches it`() async throws {
        let refused = try await Refused(
            .hold, .status(.preconditionFailed), .status(.forbidden), .status(.badGateway), Self.now,
            .status(.noContent))
        let bench = refused.bench
        bench.time.advance(by: .seconds(10))
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        let conflict = try #require(try await bench.store.conflict(of: refused.entry.id))
        let stored = try #require(conflict.theirsStoredAt)
        let explanation = QueueExplanation(
            try await refused.state, gate: nil, keep: KeepRules(), theirsStoredAt: stored, now: bench.time.now)
        #expect(explanation.next.contains("the copy that was stored 2 min ago"))
        // Nothing is sent before the record is known; it may be out of reach once more.
        for isKnown in [false, true] {
            _ = try await bench.store.perform(.retry, on: QueueSelection(ids: [refused.entry.id]))
            #expect(try await refused.drain() == ["GET"])
            #expect(try await refused.state.reason == .conflict)
            let report = try #require(try await bench.store.conflict(of: refused.entry.id))
            #expect((report.theirsStoredAt == nil) == isKnown && (report.disagreement != nil) == isKnown)
        }
        _ = try await bench.store.resolve(refused.entry.id, as: .mine)
        #expect(try await refused.drain() == ["PATCH \"2\""])
        #expect(try await refused.state.state == .done)
        try await bench.expectSound()
    }

    @Test(arguments: failures.indices)
    func `a retry of a merge sends nothing before the record is known`(index: Int) async throws {
        let refused = try await Refused(
            .merge, .status(.preconditionFailed), .status(.forbidden), Self.failures[index], Self.mergeable,
            .status(.noContent))
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        for _ in 0..<2 {
            #expect(try await refused.state.reason == .conflict)
            _ = try await refused.bench.store.perform(.retry, on: QueueSelection(ids: [refused.entry.id]))
            #expect(try await refused.drain() == ["GET"])
        }
        #expect(try await refused.drain() == ["PATCH \"2\""])
        #expect(try await refused.state.state == .done)
    }

    @Test func `a refusal that shows the record is enough`() async throws {
        let refused = try await Refused(
            .theirs, .text(EditBench.theirs, status: .preconditionFailed), .status(.badGateway))
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        #expect(try await refused.state.state == .dropped)
        #expect(try await refused.bench.shown("a") == EditBench.theirs)
    }

    @Test(arguments: [HTTPResponse.Status.notFound, .gone, .forbidden])
    func `a record that cannot be fetched for good is not waited for`(status: HTTPResponse.Status) async throws {
        let refused = try await Refused(.theirs, .status(.preconditionFailed), .status(status))
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        #expect(try await refused.state.state == .dropped)
    }

    @Test func `a page that comes meanwhile decides`() async throws {
        let refused = try await Refused(.theirs, .status(.preconditionFailed), .status(.badGateway))
        _ = try await refused.drain()
        try await refused.bench.pull("[\(EditBench.theirs)]")
        #expect(try await refused.state.state == .dropped)
        #expect(try await refused.bench.shown("a") == EditBench.theirs)
    }

    @Test func `a GET that wants a sign-in has the edit wait for it`() async throws {
        let refused = try await Refused(
            .theirs, .status(.preconditionFailed), .status(.unauthorized), .status(.preconditionFailed), Self.now)
        _ = try await refused.drain()
        #expect(try await refused.state.reason == .signIn)
        try await refused.bench.store.endWaits(of: nil, because: .retryRequested)
        #expect(try await refused.drain() == ["PATCH \"1\"", "GET"])
        #expect(try await refused.state.state == .dropped)
    }

    @Test func `a sender that stops while it fetches the record decides nothing`() async throws {
        let refused = try await Refused(
            .theirs, .status(.preconditionFailed), .failure(Failure(.cancelled, phase: .maybeSent)),
            .status(.preconditionFailed), Self.now)
        var requests: [String] = []
        for _ in 0..<2 { requests += try await refused.drain() }
        #expect(requests == ["PATCH \"1\"", "GET", "PATCH \"1\"", "GET"])
        #expect(try await refused.bench.shown("a") == #"{"id":"a","title":"theirs","votes":9}"#)
    }
}
