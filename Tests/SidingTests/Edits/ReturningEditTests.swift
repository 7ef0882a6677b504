import SidingChain
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
            try await bench.settle(entry, .parked(.rejected))
            try await meanwhile()
            _ = try await bench.store.perform(.retry, on: one)
        case .rejectedEdited:
            try await bench.settle(entry, .parked(.rejected))
            try await meanwhile()
            let change = WriteChange(body: Array(#"{"title":"mended"}"#.utf8))
            return try await bench.store.replace(entry.id, with: change).id
        case .expiredReleased:
            try await bench.sqlite.execute(
                "UPDATE siding_outbox SET state = 'parked', reason = 'expired' WHERE id = '\(entry.id)'")
            try await meanwhile()
            _ = try await bench.store.perform(.release, on: one)
        case .signInReleased:
            try await bench.settle(entry, .parked(.signIn, status: 401))
            try await meanwhile()
            try await bench.store.endWaits(of: nil, because: .credentialsChanged)
        case .signInLetIn:
            try await bench.settle(entry, .parked(.signIn, status: 401))
            try await meanwhile()
            try await bench.store.record(.answers, of: "blog")
        case .probedSentAgain:
            let write = try #require(try await bench.claim(entry.id))
            try await meanwhile()
            try await bench.settle(write, .sendAgain(from: bench.time.now, because: "it is not there"))
        }
        return entry.id
    }

    private func edited(_ policy: ConflictPolicy) async throws -> (EditBench, QueueEntry) {
        let bench = try await EditBench()
        try await bench.pull("[\(Self.old)]")
        return (bench, try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = policy })
    }

    @Test(arguments: Way.allCases)
    func `what the origin changed meanwhile is not overwritten`(way: Way) async throws {
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
    func `what changed another member goes out, by every policy`(way: Way, policy: ConflictPolicy) async throws {
        let (bench, entry) = try await edited(policy)
        let id = try await comeBack(way, entry, in: bench) {
            try await bench.pull(#"[{"id":"a","title":"old","votes":2}]"#)
        }
        #expect(try await bench.claim()?.entry.id == id)
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
