// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// An edit that was parked while the origin changed its record is checked before it is sent, whichever way it came back.
@Suite struct ReturningEditTests {
    /// How an edit is parked, and how it comes back to the queue.
    enum Way: CaseIterable {
        case heldReleased, rejectedRetried, rejectedEdited, expiredReleased, signInReleased, signInLetIn,
            probedSentAgain
    }

    private static let old = #"{"id":"a","title":"old","votes":1}"#
    private static let theirs = #"{"id":"a","title":"theirs","votes":1}"#

    /// - Returns: the entry that is queued again.
    private func comeBack(
        _ way: Way, _ entry: QueueEntry, in bench: EditBench, meanwhile: () async throws -> Void
    ) async throws -> String {
        let one = QueueSelection(ids: [entry.id])
        switch way {
        case .heldReleased:
            _ = try await bench.store.perform(.hold, on: one)
            try await meanwhile()
            _ = try await bench.store.perform(.release, on: one)
        case .rejectedRetried:
            try await bench.recordResult(entry, .parked(.rejected))
            try await meanwhile()
            _ = try await bench.store.perform(.retry, on: one)
        case .rejectedEdited:
            try await bench.recordResult(entry, .parked(.rejected))
            try await meanwhile()
            let change = WriteChange(body: Array(#"{"title":"mended"}"#.utf8))
            return try await bench.store.replace(entry.id, with: change).id
        case .expiredReleased:
            try await bench.sqlite.execute(
                "UPDATE siding_outbox SET state = 'parked', reason = 'expired' WHERE id = '\(entry.id)'")
            try await meanwhile()
            _ = try await bench.store.perform(.release, on: one)
        case .signInReleased:
            try await bench.recordResult(entry, .parked(.signIn, status: 401))
            try await meanwhile()
            try await bench.store.endWaits(of: nil, because: .credentialsChanged)
        case .signInLetIn:
            try await bench.recordResult(entry, .parked(.signIn, status: 401))
            try await meanwhile()
            try await bench.store.record(.answers, of: "blog")
        case .probedSentAgain:
            let write = try #require(try await bench.claim(entry.id))
            try await meanwhile()
            try await bench.recordResult(write, .sendAgain(from: bench.time.now, because: "it is not there"))
        }
        return entry.id
    }

    private func edited(_ policy: ConflictPolicy) async throws -> (EditBench, QueueEntry) {
        let bench = try await EditBench()
        try await bench.pull("[\(Self.old)]")
        return (bench, try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = policy })
    }

    @Test(arguments: Way.allCases)
    func `a change by the origin meanwhile is not overwritten`(way: Way) async throws {
        let (bench, entry) = try await edited(.hold)
        let id = try await comeBack(way, entry, in: bench) { try await bench.pull("[\(Self.theirs)]") }
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(id).reason == .conflict)
        #expect(try await bench.store.conflict(of: id)?.theirs != nil)
        // The operator, who sees both sides now, has the last word.
        #expect(try await bench.store.resolve(id, as: .mine).state == .queued)
        #expect(try await bench.claim(id) != nil)
        try await bench.expectSound()
    }

    @Test(arguments: Way.allCases, ConflictPolicy.allCases)
    func `an edit of another member is sent, under every policy`(way: Way, policy: ConflictPolicy) async throws {
        let (bench, entry) = try await edited(policy)
        let id = try await comeBack(way, entry, in: bench) {
            try await bench.pull(#"[{"id":"a","title":"old","votes":2}]"#)
        }
        #expect(try await bench.claim()?.entry.id == id)
    }

    /// The ways back from a conflict that decide nothing about it.
    private func goBack(_ action: OperatorAction, _ id: String, in bench: EditBench) async throws -> String {
        try #require(try await bench.store.carryOut(action, on: QueueSelection(ids: [id])).first).entry.id
    }

    private static let undecided: [OperatorAction] = [
        .act(.retry), .act(.release), .replace(WriteChange(body: Array(#"{"title":"mended"}"#.utf8))),
        .replace(WriteChange(headerFields: [.accept: "*/*"])),
    ]

    @Test(arguments: undecided)
    func `an edit parked for a change at the origin overwrites neither it nor a later one`(action: OperatorAction)
        async throws
    {
        for later in [nil, #"{"id":"a","title":"later","votes":1}"#] {
            let (bench, entry) = try await edited(.hold)
            try await bench.pull("[\(Self.theirs)]")
            #expect(try await bench.entry(entry.id).reason == .conflict)
            if let later { try await bench.pull("[\(later)]") }
            let id = try await goBack(action, entry.id, in: bench)
            #expect(try await bench.claim() == nil)
            #expect(try await bench.entry(id).reason == .conflict)
            #expect(try await bench.store.conflict(of: id)?.theirs == (try JSONDocument(later ?? Self.theirs)))
            #expect(try await bench.store.resolve(id, as: .mine).state == .queued)
            #expect(try await bench.claim(id) != nil)
        }
    }

    @Test func `an edit parked for a change that the origin took back is sent after a retry`() async throws {
        let (bench, entry) = try await edited(.hold)
        try await bench.pull("[\(Self.theirs)]")
        try await bench.pull("[\(Self.old)]")
        _ = try await goBack(.act(.retry), entry.id, in: bench)
        #expect(try await bench.claim()?.entry.id == entry.id)
    }

    @Test(arguments: [ParkReason.rejected, .conflict])
    func `an edit under an honoured key that the origin refused is checked as well`(reason: ParkReason) async throws {
        let bench = try await EditBench()
        try await bench.pull("[\(Self.old)]")
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .patch, try EditBench.url("/posts/a"), body: Array(#"{"title":"mine"}"#.utf8),
                idempotency: Idempotency()
            )
            .with(\.edit, WriteEdit(.merge, of: try EditBench.posts(), key: "a")))
        try await bench.recordResult(entry, .parked(reason))
        try await bench.pull("[\(Self.theirs)]")
        _ = try await goBack(.act(.retry), entry.id, in: bench)
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .conflict)
    }

    /// The origin refused the ETag of an edit, and did not say what the record is now.
    @Test(arguments: undecided, [412, 409, 428])
    func `an edit whose ETag was refused is not sent without one, unless that is decided`(
        action: OperatorAction, status: Int
    ) async throws {
        for isKeyed in [true, false] {
            let (bench, entry) = try await refused(status, isKeyed: isKeyed)
            let id = try await goBack(action, entry.id, in: bench)
            let asked = try #require(try await bench.claim())
            #expect(asked.entry.id == id && asked.recordQuestion != nil && asked.headerFields[.ifMatch] == nil)
            try await bench.recordResult(asked, .parked(.conflict, status: status))
            #expect(try await bench.store.resolve(id, as: .mine).state == .queued)
            let mine = try #require(try await bench.claim(id))
            #expect(mine.headerFields[.ifMatch] == nil && mine.recordQuestion == nil)
        }
    }

    @Test(arguments: [
        (#"{"id":"a","title":"old","votes":2,"_rev":"2"}"#, true), (#"{"id":"a","title":"x","_rev":"2"}"#, false),
    ])
    func `an edit whose ETag was refused is sent with that of a later page, unless it conflicts`(
        page: String, isSent: Bool
    ) async throws {
        for isKeyed in [true, false] {
            let (bench, entry) = try await refused(412, isKeyed: isKeyed)
            try await bench.pull("[\(page)]")
            _ = try await goBack(.act(.retry), entry.id, in: bench)
            #expect(try await bench.claim()?.headerFields[.ifMatch] == (isSent ? "\"2\"" : nil))
            #expect(try await bench.entry(entry.id).reason == (isSent ? nil : .conflict))
        }
    }

    @Test func `a refusal keeps its answer while the edit only asks for the record`() async throws {
        let (bench, entry) = try await conditional(isKeyed: false)
        try await bench.recordResult(entry, .parked(.conflict, status: 412, answer: #""changed""#))
        _ = try await goBack(.act(.retry), entry.id, in: bench)
        let asked = try #require(try await bench.claim())
        let refusal = try #require(asked.entry.lastError)
        try await bench.recordResult(asked, .parked(.conflict, refusal, nil))
        let answer = try #require(try await bench.store.content(of: entry.id)?.answer)
        #expect(String(decoding: answer.body, as: UTF8.self) == #""changed""# && answer.status == 412)
        #expect(try await bench.entry(entry.id).lastError == refusal)
    }

    private func refused(_ status: Int, isKeyed: Bool) async throws -> (EditBench, QueueEntry) {
        let (bench, entry) = try await conditional(isKeyed: isKeyed)
        #expect(try await bench.recordResult(entry, .parked(.conflict, status: status)).reason == .conflict)
        return (bench, entry)
    }

    private func conditional(isKeyed: Bool) async throws -> (EditBench, QueueEntry) {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","votes":1,"_rev":"1"}]"#)
        var edit = WriteEdit(.merge, of: try EditBench.posts(), key: "a")
        (edit.ifMatch, edit.etagPath) = (true, JSONPath(member: "_rev"))
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .patch, try EditBench.url("/posts/a"), body: Array(#"{"title":"mine"}"#.utf8),
                idempotency: isKeyed ? Idempotency() : nil
            )
            .with(\.edit, edit))
        return (bench, entry)
    }

    @Test func `an open edit shows the condition that it would be sent with`() async throws {
        let (bench, entry) = try await conditional(isKeyed: false)
        #expect(try await bench.store.content(of: entry.id)?.headerFields[.ifMatch] == "\"1\"")
        #expect(try await bench.claim(entry.id)?.headerFields[.ifMatch] == "\"1\"")
    }

    @Test func `an edit that is dropped before it is sent is among the drops of its process`() async throws {
        let (bench, entry) = try await edited(.theirs)
        let since = bench.time.now
        _ = try await comeBack(.heldReleased, entry, in: bench) { try await bench.pull("[\(Self.theirs)]") }
        #expect(try await bench.store.writesDropped(since: since) == [])
        #expect(try await bench.claim() == nil)
        #expect(try await bench.store.writesDropped(since: since).map(\.id) == [entry.id])
        #expect(try await bench.store.writesDropped(since: since + .seconds(1)) == [])
    }

    @Test func `each policy decides as it does when the change comes`() async throws {
        for (policy, state) in [
            (ConflictPolicy.mine, QueueEntry.State.sending), (.theirs, .dropped), (.merge, .parked),
        ] {
            let (bench, entry) = try await edited(policy)
            _ = try await comeBack(.heldReleased, entry, in: bench) { try await bench.pull("[\(Self.theirs)]") }
            _ = try await bench.claim()
            #expect(try await bench.entry(entry.id).state == state, "\(policy)")
            if policy == .theirs { #expect(try await bench.shown("a") == Self.theirs) }
        }
    }
}
