// SPDX-License-Identifier: Apache-2.0
import SidingMigrations
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct SQLiteStoreTests {
    @Test func `a new file gets every migration, an old one none`() async throws {
        let bench = try await FileBench()
        #expect(try bench.store.appliedMigrations == ["schema"])
        try await bench.store.close()
        let again = try await Store.open(at: bench.path, access: .readWrite)
        #expect(again.appliedMigrations == [])
        await again.close()
    }

    @Test func `a later migration keeps the rows, and copies the file first`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1},{"id":2}]"#)
        try await bench.store.close()
        let second = Migration(
            version: 2, name: "made_up",
            sql: "ALTER TABLE siding_runs ADD COLUMN remark TEXT; CREATE TABLE siding_x (a INTEGER) STRICT")
        let database = try await Database.open(at: bench.path)
        let applied = try await Migrator(migrations: SchemaMigrations.all + [second]).migrate(database, at: 0)
        #expect(applied == [second])
        #expect(
            try await database.write { try $0.first("SELECT count(*) FROM siding_records_posts") { $0.int(0) } } == 2)
        await database.close()
        let copy = try await Store.open(at: "\(bench.path).before-v002-19700101T000000Z", access: .readOnly)
        #expect(try await copy.count(of: "posts").count == 2)
        await copy.close()
        #expect(try await storeErrorKind { _ = try await Store.open(at: bench.path) } == .newer)
    }

    @Test(arguments: [(Store.Durability.full, Int64(2)), (.normal, 1)])
    func `a store is written as durably as it is opened`(durability: Store.Durability, value: Int64) async throws {
        let bench = try await FileBench()
        try await bench.store.close()
        let store = try await Store.open(at: bench.path, access: .readWrite, durability: durability)
        #expect(try await store.write { try $0.first("PRAGMA synchronous") { $0.int(0) } } == value)
        await store.close()
    }

    @Test func `an unchanged page writes no record row`() async throws {
        let bench = try await FileBench()
        let records = (0..<500).map { #"{"id":\#($0),"text":"\#(String(repeating: "x", count: 1_000))"}"# }
        let page = "[\(records.joined(separator: ","))]"
        let writer = try #require(try bench.store.writer)
        let empty = await writer.walBytes
        try await bench.commit(page)
        let filled = await writer.walBytes
        let before = try await bench.rows("SELECT key, changed_at, run FROM siding_records_posts")
        bench.bench.time.advance(by: .seconds(60))
        let changes = try await totalChanges(bench)
        let counters = try await bench.commit(page)
        #expect(counters.unchanged == 500)
        #expect(try await bench.rows("SELECT key, changed_at, run FROM siding_records_posts") == before)
        // A page, a listing, a resource and a run's line: nothing that grows with the records.
        #expect(try await totalChanges(bench) - changes < 20)
        #expect(await writer.walBytes - filled < (filled - empty) / 5)
    }

    private func totalChanges(_ bench: FileBench) async throws -> Int64 {
        try await bench.store.write { try $0.first("SELECT total_changes()") { $0.int(0) } ?? 0 }
    }

    @Test func `a store that is opened for reading only reads, and writes nothing`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1}]"#)
        let reader = try await Store.open(at: bench.path, access: .readOnly)
        #expect(try await reader.count(of: "posts").count == 1)
        #expect(try await storeErrorKind { try await reader.openGate(ofSource: "blog") } == .inaccessible)
        #expect(try await storeErrorKind { _ = try await reader.beginRun(command: "sync") } == .inaccessible)
        await reader.close()
    }

    @Test func `resource names that are reserved are refused`() async throws {
        let bench = try await FileBench()
        for name in ["siding_records", "SIDING_x", "sqlite_schema"] {
            await #expect(throws: StoreError.self) { _ = try await bench.bench.add(name) }
        }
        #expect(try await bench.store.resourceStates() == [])
    }

    @Test func `a quarantined record is kept with its bytes, its place and the reason`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1},{"name":"no key"},{"id":"x"}]"#)
        let rows = try await bench.rows(
            "SELECT position, CAST(body AS TEXT), reason, url FROM siding_quarantine ORDER BY position")
        #expect(rows.map { $0[0] } == ["10", "28"])
        #expect(rows.map { $0[1] } == [#"{"name":"no key"}"#, #"{"id":"x"}"#])
        #expect(rows[0][2]?.contains("the key $.id is missing") == true)
        #expect(rows[1][2] == "its key is a string, the resource's keys are an integer")
        #expect(rows[0][3] == "https://api.example.org/posts?page=1")
    }

    @Test func `a record that is quarantined again is kept once`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"name":"no key"}]"#)
        try await bench.commit(#"[{"name":"nothing"}]"#)
        #expect(try await bench.rows("SELECT CAST(body AS TEXT) FROM siding_quarantine") == [[#"{"name":"nothing"}"#]])
    }

    @Test func `a tombstone whose record comes back is revived`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1}]"#)
        try await bench.execute("UPDATE siding_records_posts SET deleted_at = 5")
        #expect(try await bench.store.count(of: "posts") == RecordCount(resource: "posts", count: 0, deleted: 1))
        #expect(try await bench.store.records(of: "posts", after: nil, limit: 9, deleted: true).map(\.key) == ["1"])
        let counters = try await bench.commit(#"[{"id":1}]"#)
        #expect(counters.updated == 1)
        #expect(try await bench.bench.record("1").deletedAt == nil)
    }

    @Test func `completed entries are kept for 30 days`() async throws {
        var bench = try await FileBench()
        _ = try await bench.bench.commitFirstPage()
        let entry = try await bench.bench.retain()
        _ = try await bench.bench.perform(.drop, entry)
        bench.bench.time.advance(by: .seconds(30 * 86_400))
        try await bench.store.endRun(bench.bench.run, outcome: .saved)
        #expect(try await bench.bench.entry(entry.id).state == .dropped)
        bench.bench.time.advance(by: .seconds(1))
        try await bench.bench.nextSync()
        try await bench.store.endRun(bench.bench.run, outcome: .saved)
        #expect(try await storeErrorKind { _ = try await bench.bench.entry(entry.id) } == .notFound)
        #expect(try await bench.store.history(of: entry.id) == [])
    }

    @Test func `a prefix that begins several entries is ambiguous, and names them`() async throws {
        let bench = try await FileBench()
        _ = try await bench.bench.commitFirstPage()
        try await bench.bench.retain()
        let lease = try await bench.bench.add("comments")
        try await bench.bench.retain(resource: "comments", lease: lease)
        try await bench.execute(
            """
            DELETE FROM siding_outbox_events;
            UPDATE siding_outbox SET id = 'abcd' || substr(id, 5);
            """)
        let entries = try await bench.store.entries(QueueSelection())
        let error = await #expect(throws: StoreError.self) {
            try await bench.store.entries(QueueSelection(ids: ["ABCD"]))
        }
        #expect(error?.kind == .ambiguous)
        for entry in entries { #expect(error?.message.contains(entry.shortID) == true) }
        #expect(try await bench.store.entries(QueueSelection(ids: [entries[0].id])) == [entries[0]])
    }

    @Test func `a closed store is reported`() async throws {
        let bench = try await FileBench()
        try await bench.store.close()
        await #expect(throws: StoreError.self) { _ = try await bench.store.resourceStates() }
    }
}
