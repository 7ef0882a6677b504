// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What a file knows of a hub.
@Suite struct PublicationTests {
    private let time = ManualWallClock()
    private let directory: TemporaryDirectory
    private let store: Store

    init() async throws {
        directory = try TemporaryDirectory()
        store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock)
    }

    private func note(_ error: String?, _ resources: [String: String?] = [:]) async throws {
        var outcome = Publication.Outcome()
        func recorded(_ message: String) -> RecordedError { RecordedError(name: "refused", message: message) }
        outcome.error = error.map(recorded)
        outcome.resources = resources.mapValues { $0.map(recorded) }
        try await store.note(outcome, of: "van-1", to: "fleet")
    }

    private func changedAt() async throws -> Int64? {
        try await store.read { try $0.first("SELECT changed_at FROM siding_sources") { $0.int(0) } }
    }

    @Test func `what an older version stored can be read`() async throws {
        try await store.write { transaction in
            try transaction.execute(
                "INSERT INTO siding_sources (name, publication, changed_at) VALUES ('publish:fleet', ?1, 0)",
                #"{"station":"van-1","positions":{"issues":{"next":[],"revision":7}}}"#)
        }
        let known = try #require(try await store.publication(to: "fleet"))
        #expect(known.positions["issues"]?.revision == 7 && known.failure == nil && known.failures.isEmpty)
    }

    @Test func `an outcome is written once, however often it comes`() async throws {
        try await note(nil, ["issues": nil])
        #expect(try await store.publication(to: "fleet") == nil, "nothing is new")
        let begun = time.now.microseconds
        for _ in 1...3 {
            try await note("down")
            time.advance(by: .seconds(60))
        }
        #expect(try await changedAt() == begun)
        #expect(try await store.publication(to: "fleet")?.failure?.since == begun)
        let changed = time.now.microseconds
        try await note("down for another reason")
        #expect(try await changedAt() == changed)
        #expect(try await store.publication(to: "fleet")?.failure?.since == begun)
    }

    @Test func `a run of some resources leaves the failures of others`() async throws {
        try await note(nil, ["issues": "a", "readings": "b", "places": nil])
        time.advance(by: .seconds(60))
        try await note(nil, ["issues": nil])
        try await note("down")
        var known = try #require(try await store.publication(to: "fleet"))
        #expect(known.failure?.error.message == "down" && known.failures.keys.sorted() == ["readings"])
        try await note(nil, ["places": nil])
        known = try #require(try await store.publication(to: "fleet"))
        #expect(known.failure == nil && known.failures["readings"]?.error.message == "b")
    }

    @Test func `an outcome leaves positions and marks`() async throws {
        var publication = Publication(station: "van-1")
        publication.positions["issues"] = Publication.Position()
        publication.positions["issues"]?.next = ["mark"]
        try await store.save(publication, to: "fleet")
        try await note("down")
        #expect(try await store.publication(to: "fleet")?.positions == publication.positions)
    }
}
