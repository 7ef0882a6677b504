// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

@Suite struct TextSearchTests {
    @Test func `an index is built in steps, and is right with any write in between`() async throws {
        let bench = try await bench()
        _ = try await bench.siding.search("train", in: bench.issues)
        let store = bench.store
        let count = try await bench.siding.records(of: bench.issues).count()
        try await store.write { transaction in
            let (index, table) = (try TextIndex.load(of: 1, transaction), try RecordsTable.load(1, transaction))
            try #require(index).create(over: table, transaction)
            let step = try #require(try TextIndex.load(of: 1, transaction)).fill(next: 2, of: table, transaction)
            #expect(step == RowStep(rows: 2, isDone: false))
        }
        let all = try await bench.siding.records(of: bench.issues).array()
        try await bench.siding.save(all.map { Ticket(id: $0.id, title: "zebra") }, to: bench.issues)
        try await bench.siding.deleteLocally(key: String(all[0].id), from: bench.issues)
        try await bench.siding.deleteLocally(key: String(all[count - 1].id), from: bench.issues)
        try await bench.siding.save(Ticket(id: 1_000, title: "zebra"), to: bench.issues)
        #expect(try await bench.siding.search("zebra", in: bench.issues).count == count - 1)
        try await store.write {
            try $0.execute("INSERT INTO siding_text_1 (siding_text_1, rank) VALUES ('integrity-check', 1)")
        }
    }

    private func bench() async throws -> TypedBench {
        let bench = try await TypedBench(searchable: [\.title, \.body])
        try await bench.siding.save(
            [
                Ticket(id: 1, title: "Fast train", body: "It was the fastest train of all fast trains"),
                Ticket(id: 2, title: "Slow boat", body: "No train in sight"), Ticket(id: 3, title: "Café", body: nil),
            ], to: bench.issues)
        return bench
    }

    @Test func `the best match comes first, with the part that matches`() async throws {
        let bench = try await bench()
        let hits = try await bench.siding.search("train", in: bench.issues)
        #expect(hits.map(\.model.id) == [1, 2])
        #expect(hits[0].rank < hits[1].rank)
        #expect(hits[0].snippet == nil)
        let shown = try await bench.siding.search(
            .words("sight"), in: bench.issues, snippet: TextSearch.SnippetStyle(before: "[", after: "]", words: 3))
        #expect(shown.first?.snippet == "…train in [sight]")
        #expect(try await bench.siding.search("CAFE", in: bench.issues).map(\.key) == ["3"])
        #expect(try await bench.siding.search("train", in: bench.issues, limit: 1).count == 1)
    }

    @Test func `the raw language is available, and its errors are the caller's`() async throws {
        let bench = try await bench()
        let hits = try await bench.siding.search(.query("train NOT boat"), in: bench.issues)
        #expect(hits.map(\.key) == ["1"])
        for wrong in ["\"", "AND", "(a", "nothing:a"] {
            let error = await #expect(throws: RecordError.self) {
                try await bench.siding.search(.query(wrong), in: bench.issues)
            }
            guard case .store(let store)? = error else { return #expect(Bool(false), "\(wrong)") }
            #expect(store.kind == .invalidQuery, "\(wrong): \(store)")
        }
    }

    @Test func `without a search there is no index, and with one the file still passes the check`() async throws {
        let bench = try await bench()
        let store = bench.store
        #expect(try await Self.tables(store) == [])
        _ = try await bench.siding.search("train", in: bench.issues)
        #expect(try await Self.tables(store).contains("siding_text_1"))
        await store.close()
        let again = try await bench.otherProcess()
        #expect(try await again.search("train", in: bench.issues).count == 2)
        #expect(try await again.store.check() == [])
    }

    private static func tables(_ store: Store) async throws -> [String] {
        try await store.read { snapshot in
            try snapshot.query("SELECT name FROM sqlite_schema WHERE name LIKE 'siding\\_text\\_%' ESCAPE '\\'") {
                $0.text(0)
            }
        }
    }

    @Test func `an index is built anew where its fields changed, where it is missing, and after another SQLite`()
        async throws
    {
        let bench = try await bench()
        let (siding, store) = (bench.siding, bench.store)
        #expect(try await siding.search("sight", in: bench.issues).count == 1)
        let narrow = try Resource<Ticket>(bench.issues.untyped, searchable: [\.title])
        #expect(try await siding.search("sight", in: narrow).isEmpty)
        #expect(try await siding.search("slow", in: narrow).count == 1)
        #expect(try await siding.search("sight", in: bench.issues).count == 1)
        try await store.write { transaction in
            try transaction.execute(
                "UPDATE siding_resources SET text_index = json_set(text_index, '$.sqlite', '3.0.0')")
        }
        #expect(try await siding.search("sight", in: bench.issues).count == 1)
        let isAnew = try await store.read {
            try $0.first("SELECT text_index ->> 'sqlite' = sqlite_version() FROM siding_resources") { $0.int(0) }
        }
        #expect(isAnew == 1)
        try await store.write {
            try $0.executeScript("UPDATE siding_resources SET text_index = NULL; DROP TABLE siding_text_1")
        }
        #expect(try await siding.search("sight", in: bench.issues).count == 1)
    }

    @Test func `resources of one name that search different members share an index, built once for each new member`()
        async throws
    {
        let bench = try await bench()
        let (siding, store) = (bench.siding, bench.store)
        let titles = try Resource<Ticket>(bench.issues.untyped, searchable: [\.title])
        let bodies = try Resource<Ticket>(bench.issues.untyped, searchable: [\.body])
        for resource in [titles, bodies, bench.issues] { _ = try await siding.search("train", in: resource) }
        // Building an index changes the schema of the file.
        let schema = try await store.read { try $0.first("PRAGMA schema_version") { $0.int(0) } }
        for _ in 0..<2 {
            #expect(try await siding.search("train", in: titles).map(\.key) == ["1"])
            #expect(try await siding.search("train", in: bodies).map(\.key).sorted() == ["1", "2"])
            #expect(try await siding.search("boat sight", in: bodies).isEmpty)
            #expect(try await siding.search("boat sight", in: bench.issues).map(\.key) == ["2"])
            #expect(try await siding.search(.query("boat OR sight"), in: bodies).map(\.key) == ["2"])
            #expect(try await siding.search(.query("boat OR caf*"), in: titles).count == 2)
        }
        #expect(try await store.read { try $0.first("PRAGMA schema_version") { $0.int(0) } } == schema)
        try await siding.save(Ticket(id: 4, title: "Night train", body: "Sleepers"), to: titles)
        #expect(try await siding.search("sleepers", in: bodies).map(\.key) == ["4"])
    }

    @Test func `the index stays in step through any row of writes, by FTS5's own check`() async throws {
        let bench = try await bench()
        let (siding, issues) = (bench.siding, bench.issues)
        _ = try await siding.search("train", in: issues)
        var random = SystemRandomNumberGenerator()
        let words = ["train", "boat", "fast", "slow", "12", "é", "\u{1F682}"]
        func text() -> String { (0..<3).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ") }
        for _ in 0..<60 {
            let id = Int.random(in: 1...12, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: try await siding.deleteLocally(key: String(id), from: issues)
            case 1: try await bench.sync(#"[{"id":\#(id),"title":"\#(text())","comments":0,"body":7}]"#)
            default: try await siding.save(Ticket(id: id, title: text(), body: text()), to: issues)
            }
        }
        try await bench.store.write { transaction in
            try transaction.execute("INSERT INTO siding_text_1 (siding_text_1, rank) VALUES ('integrity-check', 1)")
        }
        for word in words.prefix(4) {
            let found = try await bench.store.search(
                TextSearch(of: "issues", fields: issues.searchable, text: .words(word), limit: 99)
            ).map(\.record.key).sorted()
            let all = try await bench.store.select(RecordSelection(resource: "issues")).records
            let wanted = all.filter { String(decoding: $0.body, as: UTF8.self).contains(word) }.map(\.key).sorted()
            #expect(found == wanted, "\(word)")
        }
    }

    @Test func `a batch that is undone leaves the index as it was`() async throws {
        let bench = try await bench()
        _ = try await bench.siding.search("train", in: bench.issues)
        let writer = bench.store
        struct Undo: Error {}
        await #expect(throws: StoreError.self) {
            try await writer.write { transaction in
                var statements = try RecordStatements(
                    transaction, table: RecordsTable.load(1, transaction), run: 0, now: .init(microseconds: 0),
                    revision: 9)
                let (key, body) = (Array("9".utf8), Array(#"{"id":9,"title":"train"}"#.utf8))
                _ = try key.withUnsafeBytes { key in
                    try body.withUnsafeBytes { body in
                        try statements.save(key: key, body: body, cause: .local, transaction)
                    }
                }
                throw Undo()
            }
        }
        #expect(try await bench.siding.search("train", in: bench.issues).count == 2)
    }

    @Test func `a planted view under an index's name is refused`() async throws {
        let bench = try await bench()
        _ = try await bench.siding.search("train", in: bench.issues)
        let store = bench.store
        try await store.write { transaction in
            try transaction.executeScript(
                "DROP VIEW siding_text_1_source; CREATE VIEW siding_text_1_source AS SELECT 1 AS id, 2 AS c0, 3 AS c1")
        }
        await store.close()
        let error = await #expect(throws: StoreError.self) { _ = try await Store.open(at: store.path) }
        #expect(error?.kind == .foreign)
    }

    @Test func `a SQLite without FTS5 is reported`() {
        let error = #expect(throws: StoreError.self) { try TextIndex.requireFTS5(in: ["json_each", "rtree"]) }
        #expect(error?.kind == .unsupported)
        #expect(error?.description.contains("FTS5") == true)
    }

    @Test func `a store that may not write searches an index that is there, and cannot make one`() async throws {
        let bench = try await bench()
        let search = TextSearch(of: "issues", fields: bench.issues.searchable, text: .words("train"))
        let reader = try await Store.open(at: bench.store.path, access: .readOnly)
        let error = await #expect(throws: StoreError.self) { _ = try await reader.search(search) }
        #expect(error?.kind == .inaccessible)
        _ = try await bench.store.search(search)
        #expect(try await reader.search(search).count == 2)
        await reader.close()
    }
}
