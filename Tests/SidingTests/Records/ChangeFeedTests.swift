// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingOrigin
import SidingSQLite
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingTesting

/// What an export of changes does to a copy.
@Suite struct ChangeFeedTests {
    private typealias Copy = [String: [UInt8]]

    private func copy(of store: Store) async throws -> Copy {
        let copy = Mutex<Copy>([:])
        _ = try await store.export(RecordExport("posts")) { _ in
        } row: { row in
            guard let record = row.record else { return }
            copy.withLock { $0[record.key] = record.body }
        }
        return copy.withLock(\.self)
    }

    /// Puts in and takes out as a reader does that knows nothing but the feed, and checks what the kinds promise.
    private func applied(since run: RunID, to copy: Copy, _ store: Store) async throws -> Copy {
        let result = Mutex(copy)
        let told = Mutex<[ChangedRecord]>([])
        _ = try await store.export(RecordExport("posts", selection: .changed(since: run))) { _ in
        } row: { row in
            let record = try #require(row.record)
            let kind = try #require(row.change)
            told.withLock { $0.append(ChangedRecord(key: record.key, kind: kind)) }
            switch kind {
            case .inserted: result.withLock { $0[record.key] = record.body }
            case .updated:
                #expect(copy[record.key] != nil, "\(record.key) is updated, and the copy does not have it")
                result.withLock { $0[record.key] = record.body }
            case .deleted: result.withLock { _ = $0.removeValue(forKey: record.key) }
            }
        }
        #expect(try await store.changes(of: "posts", since: run).changes == told.withLock(\.self))
        return result.withLock(\.self)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func `a copy of the end of any run, with the changes since, equals the store`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var bench = try await FileBench()
        let store = try bench.store
        try await bench.commit("[]")
        var copies: [RunID: Copy] = [0: [:]]
        for step in 0..<40 {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                try await change(bench, step, &random)
            }
            if Bool.random(using: &random) {
                try await bench.bench.store.endRun(bench.bench.run, outcome: .saved)
                copies[bench.bench.run] = try await copy(of: store)
                try await bench.bench.nextSync()
            }
        }
        let now = try await copy(of: store)
        for (run, copy) in copies.sorted(by: { $0.key < $1.key }) {
            #expect(try await applied(since: run, to: copy, store) == now, "seed \(seed), since run \(run)")
        }
        #expect(copies.count > 5)
    }

    /// A page, a save or a deletion of a few of eight records.
    private func change(
        _ bench: FileBench, _ step: Int, _ random: inout SeededGenerator
    ) async throws {
        let keys = (0..<8).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map { "k\($0)" }
        guard !keys.isEmpty else { return }
        let records = keys.map { #"{"id":"\#($0)","v":\#(Int.random(in: 0...2, using: &random))}"# }
        let json = "[\(records.joined(separator: ","))]"
        switch Int.random(in: 0..<3, using: &random) {
        case 0: try await bench.commit(json)
        case 1: _ = try await bench.bench.apply(json)
        default: _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: keys))
        }
    }

    @Test func `before any run has ended the feed continues from run 0, and deletions are reported`() async throws {
        let bench = try await FileBench()
        let store = try bench.store
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#)
        let before = try await copy(of: store)
        let run = try await store.export(RecordExport("posts")) { _ in }
        #expect(run == 0)
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["b"]))
        let changes = Mutex<[String: ChangedRecord.Kind]>([:])
        _ = try await store.export(RecordExport("posts", selection: .changed(since: run))) { row in
            if let record = row.record { changes.withLock { $0[record.key] = row.change } }
        }
        #expect(changes.withLock(\.self) == ["a": .inserted, "b": .deleted])
        #expect(before.keys.sorted() == ["a", "b"])
        #expect(try await store.changes(of: "posts", since: 0).run == 0)
    }

    @Test func `a record that is listed by another parent is reported`() async throws {
        var bench = try await FileBench()
        func list(_ json: String, by parent: String) async throws {
            var opening = try bench.bench.opening()
            opening.parent = ListingParent(resource: "issues", revision: 0, pass: nil)
            opening.first.scope = parent
            try await bench.bench.commit(json, try await bench.store.openListing(opening))
        }
        try await list(#"[{"id":"a"},{"id":"b"}]"#, by: "1")
        let run = bench.bench.run
        try await bench.bench.store.endRun(run, outcome: .saved)
        try await bench.bench.nextSync()
        try await list(#"[{"id":"b"}]"#, by: "1")
        #expect(try await bench.store.changes(of: "posts", since: run).changes == [])
        try await list(#"[{"id":"b"}]"#, by: "2")
        #expect(
            try await bench.store.changes(of: "posts", since: run).changes
                == [ChangedRecord(key: "b", kind: .updated)])
        #expect(try await bench.rows("SELECT siding_parent FROM posts WHERE id = 'b'") == [["2"]])
    }

    @Test func `a tombstone that is rewritten and stays one is not reported again`() async throws {
        var bench = try await FileBench()
        let store = try bench.store
        try await bench.commit(#"[{"id":"a","mail":1},{"id":"b","mail":1},{"id":"c","gone":true,"mail":1}]"#)
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["b"]))
        func save(_ json: String) async throws {
            var page = try await bench.bench.pageCommit(StoreBench.content(json), bench.bench.open())
            let mark = DeletionMark(JSONPath(member: "gone"))
            page.open.deletions = DeletionTerms(rule: Deletions(mark: mark), isStable: false, isAccepted: false)
            _ = try await store.commit(page)
        }
        try await save(#"[{"id":"c","gone":true,"mail":1}]"#)
        let run = bench.bench.run
        try await store.endRun(run, outcome: .saved)
        try await bench.bench.nextSync()
        // The origin still shows it with its mark, and with something new.
        try await save(#"[{"id":"c","gone":true,"mail":2}]"#)
        #expect(try await store.changes(of: "posts", since: run).changes == [])
        let schema = RecordSchema(transforms: RecordTransforms(dropped: [JSONPath(member: "mail")]))
        _ = try await bench.bench.open(schema: schema)
        #expect(try await store.rewriteRecords(of: "posts") == 3)
        #expect(
            try await store.changes(of: "posts", since: run).changes == [ChangedRecord(key: "a", kind: .updated)])
        let bodies = try await bench.rows("SELECT body FROM siding_records_posts ORDER BY key").flatMap(\.self)
        #expect(bodies == [#"{"id":"a"}"#, #"{"id":"b"}"#, #"{"id":"c","gone":true}"#])
        try await bench.commit(#"[{"id":"b","mail":1}]"#, schema: schema)
        #expect(
            try await store.changes(of: "posts", since: run).changes
                == [ChangedRecord(key: "a", kind: .updated), ChangedRecord(key: "b", kind: .inserted)])
    }

    @Test func `a feed cannot continue from a run after which a tombstone was removed`() async throws {
        var bench = try await FileBench()
        let store = try bench.store
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#)
        try await store.endRun(bench.bench.run, outcome: .saved)
        try await bench.bench.nextSync()
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        try await store.write { transaction in
            let row = try #require(
                try transaction.first("SELECT 1, revision FROM siding_records_posts WHERE key = 'a'") {
                    [$0.int(0), $0.int(1)]
                })
            try ResourcesTable.setForgotten(revision: row[1], of: row[0], transaction)
            try transaction.execute("DELETE FROM siding_records_posts WHERE key = 'a'")
        }
        let run = try await store.export(RecordExport("posts")) { _ in }
        #expect(run == 0)
        #expect(try await store.changes(of: "posts", since: run).changes == [ChangedRecord(key: "b", kind: .inserted)])
        try await store.endRun(bench.bench.run, outcome: .saved)
        let later = try await store.export(RecordExport("posts")) { _ in }
        #expect(later == bench.bench.run)
        #expect(try await store.changes(of: "posts", since: later).changes == [])
    }

    @Test func `a run of another resource is as good a beginning`() async throws {
        var bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"}]"#)
        try await bench.bench.store.endRun(bench.bench.run, outcome: .saved)
        let other = try await bench.store.beginRun(command: "sync other")
        try await bench.bench.nextSync()
        // In the middle of the other's run.
        try await bench.commit(#"[{"id":"b"}]"#)
        try await bench.store.endRun(other, outcome: .saved)
        let before = try await copy(of: bench.store)
        try await bench.commit(#"[{"id":"a","x":1}]"#)
        let changes = try await bench.store.changes(of: "posts", since: other)
        #expect(changes.changes == [ChangedRecord(key: "a", kind: .updated)])
        #expect(try await applied(since: other, to: before, bench.store) == copy(of: bench.store))
    }

    @Test func `where a forgotten tombstone would be missed, the feed is refused`() async throws {
        var bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#)
        let first = bench.bench.run
        try await bench.bench.store.endRun(first, outcome: .saved)
        try await bench.bench.nextSync()
        let store = try bench.store
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        let second = bench.bench.run
        try await bench.bench.store.endRun(second, outcome: .saved)
        try await store.write { transaction in
            let row = try #require(
                try transaction.first("SELECT id, 1, revision FROM siding_records_posts WHERE key = 'a'") {
                    [$0.int(0), $0.int(1), $0.int(2)]
                })
            try ResourcesTable.setForgotten(revision: row[2], of: row[1], transaction)
            try transaction.execute("DELETE FROM siding_records_posts WHERE id = ?1", row[0])
        }
        do {
            _ = try await store.changes(of: "posts", since: first)
            Issue.record("it was not refused")
        } catch {
            #expect(error.kind == .notFound)
            #expect(error.description.contains("continue from run \(second)"))
        }
        #expect(try await store.changes(of: "posts", since: second).changes == [])
        #expect(try await store.changes(of: "posts", since: 0).changes.map(\.key) == ["b"])
    }

    @Test(arguments: [#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#, #"[{"id":1},{"id":2},{"id":3}]"#])
    func `looks find the same with the index as without it, in their order, and the file is opened with it`(
        _ page: String
    ) async throws {
        let bench = try await FileBench()
        try await bench.commit(page)
        let store = try bench.store
        let all = try await store.changedKeys(of: "posts", since: 0)
        try await store.indexChanges(of: "posts")
        try await store.indexChanges(of: "posts")
        #expect(try await store.changedKeys(of: "posts", since: 0) == all)
        _ = try await store.delete(RecordLookup(resource: "posts", keys: [all.keys[2], all.keys[0]]))
        #expect(try await store.changedKeys(of: "posts", since: all.revision).keys == [all.keys[0], all.keys[2]])
        let plan = try await bench.plan("SELECT key FROM siding_records_posts WHERE revision > 1 ORDER BY +key")
        #expect(plan.contains("siding_changes_posts (revision>?)"), "\(plan)")
        for access in [Store.Access.readOnly, .readWrite] {
            try await Store.open(at: bench.path, access: access).close()
        }
    }

    @Test func `a table that is rebuilt for other keys loses the index, and gets it again`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":1}]"#)
        let store = try bench.store
        try await store.indexChanges(of: "posts")
        let revision = try await store.changedKeys(of: "posts", since: 0).revision
        try await bench.commit(#"[{"id":1},{"id":99999999999999999999}]"#)
        let indexes = "SELECT name FROM sqlite_schema WHERE name GLOB 'siding_changes_*'"
        #expect(try await bench.rows(indexes).isEmpty)
        #expect(try await store.changedKeys(of: "posts", since: revision).keys == ["99999999999999999999"])
        try await store.indexChanges(of: "posts")
        #expect(try await bench.rows(indexes) == [["siding_changes_posts"]])
        #expect(try await store.changedKeys(of: "posts", since: revision).keys == ["99999999999999999999"])
    }

    @Test func `an export of changes sorts nothing`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"}]"#)
        let rows = try await bench.store.read { try RecordsTable.load(1, $0).rowsByKey.text }
        let plan = try await bench.plan("SELECT key FROM \(rows) WHERE revision > 0 ORDER BY key")
        #expect(!plan.contains("TEMP B-TREE"))
        #expect(plan.contains("siding_key_posts"))
    }
}
