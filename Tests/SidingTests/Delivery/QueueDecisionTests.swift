// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct QueueDecisionTests {
    @Test func `a rehearsal answers what would be, and changes nothing`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(lane: "a")
        let rows = "SELECT * FROM siding_outbox_entries"
        let before = try await bench.sqlite.rows(rows)
        for decision in [OperatorAction.act(.hold), .act(.drop), .replace(WriteChange(body: [0x31])), .purge] {
            let changes = try await bench.store.carryOut(
                decision, on: QueueSelection(ids: [entry.id]), isRehearsal: true)
            #expect(changes.map(\.before) == [entry])
            #expect(changes.map { $0.refusal == nil } == [decision != .purge])
        }
        #expect(try await bench.sqlite.rows(rows) == before)
        #expect(try await bench.events(entry) == ["accepted"])
    }

    @Test func `an action that one entry refuses changes nothing of it, and the others continue`() async throws {
        let bench = try await EditBench()
        let (first, damaged, last) = (try await bench.send(), try await bench.send(), try await bench.send())
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_outbox_requests SET url = 'x' WHERE entry = 2")
        }
        let changes = try await bench.store.carryOut(.replace(WriteChange(body: [0x31])), on: QueueSelection())
        #expect(changes.map { $0.refusal == nil } == [true, false, true])
        #expect(changes.map(\.before.id) == [first.id, damaged.id, last.id])
        #expect(try await bench.entry(damaged.id).state == .queued)
        #expect(try await bench.events(damaged) == ["accepted"])
        try await bench.expectSound()
    }

    @Test func `a change that no write may be kept with is an error, not a refusal`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send()
        let change = WriteChange(url: try EditBench.url("/posts?access_token=x"))
        let kind = try await storeErrorKind {
            _ = try await bench.store.carryOut(.replace(change), on: QueueSelection(ids: [entry.id]))
        }
        #expect(kind == .invalidWrite)
    }

    @Test func `a new URL that names a record which is not created yet waits for it`() async throws {
        let bench = try await EditBench()
        try await bench.pull("[]")
        let creation = try await bench.edit(.create, nil, #"{"text":"new"}"#)
        let temporary = try #require(creation.recordKey)
        let write = try await bench.send(.post, "/posts/1/pins")
        let change = WriteChange(url: try EditBench.url("/posts/\(temporary)/pins"))
        let edited = try await bench.store.replace(write.id, with: change)
        #expect(edited.waitsOn == 1)
        try await bench.deliver(creation, #"{"id":7,"text":"new"}"#, status: 201)
        #expect(try await bench.claim(edited.id)?.url.path == "/posts/7/pins")
        try await bench.expectSound()
    }

    @Test func `after 30 days a write is forgotten, and its key where its origin has forgotten it`() async throws {
        let bench = try await WriteBench()
        for (key, days) in [("short", 1), ("long", 40)] {
            let lifetime = Duration.seconds(days * 86_400)
            let entry = try await bench.enqueue(
                "/orders", key: key, idempotency: Idempotency(lifetime: lifetime), body: "[]")
            try await bench.deliver(try #require(try await bench.claim(entry: entry.id)))
        }
        bench.time.advance(by: .seconds(31 * 86_400))
        try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await keys(bench) == ["long"])
        #expect(try await bench.store.entries(QueueSelection(states: [.done])).isEmpty)
        bench.time.advance(by: .seconds(10 * 86_400))
        try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
        #expect(try await keys(bench) == [])
    }

    @Test func `an entry that lost its request is named by a check, and forgotten with the others`() async throws {
        let bench = try await WriteBench()
        var entries: [QueueEntry] = []
        for _ in 0..<2 {
            let entry = try await bench.enqueue("/orders", idempotency: Idempotency(lifetime: .seconds(90 * 86_400)))
            try await bench.deliver(try #require(try await bench.claim(entry: entry.id)))
            entries.append(entry)
        }
        try await bench.store.write { try $0.execute("DELETE FROM siding_outbox_requests WHERE entry = 1") }
        #expect(
            try await bench.store.check() == [
                "a queue entry without its request, its key or its edit: \(entries[0].id)"
            ])
        bench.time.advance(by: .seconds(31 * 86_400))
        try await bench.store.endRun(try await bench.store.beginRun(command: "sync"), outcome: .saved)
        #expect(
            try await bench.store.read { try $0.query("SELECT id FROM siding_outbox") { $0.text(0) } } == [
                entries[1].id
            ])
    }

    @Test(arguments: ["siding_idempotency_keys", "siding_outbox_edits"])
    func `a check names an entry that lost its row in another table`(table: String) async throws {
        let bench = try await EditBench()
        try await bench.pull("[]")
        let entry = try await bench.edit(.create, nil, "{}")
        try await bench.expectSound()
        try await bench.sqlite.execute("DELETE FROM \(table)")
        #expect(try await bench.store.check().contains { $0.hasSuffix("its key or its edit: \(entry.id)") })
    }

    @Test func `a dry run of an edit shows the request, and writes nothing on the way`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.send(.post, "/posts", "[]", fields: [.accept: "text/plain"])
        let lock = try #require(try HeldLock("\(bench.store.path).writer"))
        let change = WriteChange(url: try EditBench.url("/notes"), body: Array("[1]".utf8))
        let changes = try await bench.store.carryOut(
            .replace(change), on: QueueSelection(ids: [entry.id]), isRehearsal: true)
        lock.die()
        #expect(
            changes.map(\.request) == [
                RequestPreview(
                    method: "POST", url: "https://api.example.org/notes", headerNames: ["Accept"], bodyBytes: 3)
            ])
    }

    /// The keys that are taken.
    private func keys(_ bench: WriteBench) async throws -> [String] {
        try await bench.store.read { try $0.query("SELECT key FROM siding_idempotency_keys") { $0.text(0) } }
    }
}
