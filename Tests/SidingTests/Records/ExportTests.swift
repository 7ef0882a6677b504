// SPDX-License-Identifier: Apache-2.0
import Dispatch
import SidingJSON
import SidingSQLite
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingTesting

@Suite(.timeLimit(.minutes(5))) struct ExportTests {
    /// What an export tells: the columns, and the rows.
    private func export(
        _ export: RecordExport, of store: Store
    ) async throws -> (columns: [String], rows: [ExportedRow], run: RunID?) {
        let columns = Mutex<[String]>([])
        let rows = Mutex<[ExportedRow]>([])
        let run = try await store.export(export) { names in
            columns.withLock { $0 = names }
        } row: { row in
            rows.withLock { $0.append(row) }
        }
        return (columns.withLock(\.self), rows.withLock(\.self), run)
    }

    private func text(_ value: ColumnValue) -> String {
        switch value {
        case .json(let json): String(decoding: json, as: UTF8.self)
        case .cell(.text(let text)): text
        case .cell(.integer(let number)): String(number)
        case .cell(.real(let number)): String(number)
        case .cell(let cell): "\(cell)"
        }
    }

    @Test func `bodies come byte for byte, in the order of their keys, without tombstones`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"b","n":1.10},{"id":"a", "x":[1 ,2]},{"id":"c"}]"#)
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["c"]))
        let all = try await export(RecordExport("posts"), of: bench.store)
        #expect(all.columns == [])
        let bodies: [String] = all.rows.map { String(decoding: $0.record?.body ?? [], as: UTF8.self) }
        #expect(bodies == [#"{"id":"a", "x":[1 ,2]}"#, #"{"id":"b","n":1.10}"#])
        #expect(all.rows.allSatisfy { $0.change == nil })
        let gone = try await export(RecordExport("posts", selection: .deleted), of: bench.store)
        #expect(gone.rows.map(\.record?.key) == ["c"])
    }

    @Test func `columns without a type keep what SQL would lose`() async throws {
        let bench = try await FileBench()
        try await bench.commit(
            #"[{"id":"a","big":123456789012345678901,"small":0.10,"yes":true,"none":null,"deep":{"b":[1,2.0]}}]"#)
        let all = try await export(RecordExport("posts", content: .columns), of: bench.store)
        #expect(all.columns == ["id", "big", "small", "yes", "none", "deep"])
        let wanted: [String] = [#""a""#, "123456789012345678901", "0.10", "true", "null", #"{"b":[1,2.0]}"#]
        #expect(all.rows.first?.values.map(text) == wanted)
        #expect(all.rows.first?.record?.body == [])
    }

    @Test func `the columns are those of the view, with any declaration`() async throws {
        let columns = [RecordColumn("number", .integer, at: JSONPath(member: "n")), RecordColumn("title")]
        let children = RecordChildren("labels", at: JSONPath(member: "labels"))
        for schema in [
            RecordSchema(), RecordSchema(columns: columns), RecordSchema(children: [children]),
            RecordSchema(columns: columns, children: [children]),
        ] {
            let bench = try await FileBench()
            try await bench.commit(#"[{"id":"a","n":"7","title":"x","labels":[{"name":"l"}]}]"#, schema: schema)
            let all = try await export(RecordExport("posts", content: .columns), of: bench.store)
            #expect(try await bench.columns("posts") == all.columns)
            guard !schema.children.isEmpty else { continue }
            let inner = try await export(RecordExport("posts_labels"), of: bench.store)
            #expect(try await bench.columns("posts_labels") == inner.columns)
            #expect(inner.rows.map(\.record) == [nil])
        }
    }

    /// Every combination of what makes columns.
    private static let makings: [[String]] = (0..<32).map { number in
        ["set", "rename", "parents", "children", "pending"].enumerated()
            .filter { number & 1 << $0.offset != 0 }.map(\.element)
    }

    @Test(arguments: makings)
    func `an export has the columns of the view, of any origin`(_ makings: [String]) async throws {
        for isDeclared in [false, true] where !(isDeclared && makings.contains("rename")) {
            var schema = RecordSchema(columns: isDeclared ? [RecordColumn("id"), RecordColumn("price", .real)] : [])
            if makings.contains("set") {
                schema.transforms.computed = [
                    ComputedColumn("total", try RecordExpression("price * 2")),
                    ComputedColumn("title", try RecordExpression("upper(id)")),
                ]
            }
            if makings.contains("rename") { schema.transforms.renamed = ["html_url": "url"] }
            if makings.contains("children") {
                schema.children = [RecordChildren("labels", at: JSONPath(member: "labels"))]
            }
            let bench = try await FileBench()
            var opening = try bench.bench.opening(schema: schema)
            if makings.contains("parents") {
                opening.parent = ListingParent(resource: "issues", revision: 0, pass: nil)
                opening.first.scope = "7"
            }
            let position = try await bench.store.openListing(opening)
            try await bench.bench.commit(
                #"[{"id":"a","price":1.5,"title":"x","html_url":"u","labels":[{"name":"l"},[1]]}]"#, position)
            if makings.contains("pending") {
                try await bench.store.write { try ResourceView.addPendingColumn(to: "posts", $0) }
            }
            for name in ["posts"] + (schema.children.isEmpty ? [] : ["posts_labels"]) {
                let all = try await export(RecordExport(name, content: .columns), of: bench.store)
                #expect(try await bench.columns(name) == all.columns)
                // What is no member is exported as it is shown.
                let shown = try await bench.rows("SELECT * FROM \(name)")
                #expect(shown.count == all.rows.count)
                for (index, column) in all.columns.enumerated()
                where column.hasPrefix("siding_") || (makings.contains("set") && ["total", "title"].contains(column)) {
                    let values = all.rows.map { $0.values[index] }
                    #expect(shown.map { $0[index] } == values.map(text), "\(column)")
                }
            }
        }
    }

    @Test func `a computed column that cannot be computed fails view and export alike`() async throws {
        let bench = try await FileBench()
        let bad = ComputedColumn("bad", try RecordExpression("json_extract(t, '$.x')"))
        try await bench.commit(
            #"[{"id":"a","t":"no json"}]"#, schema: RecordSchema(transforms: RecordTransforms(computed: [bad])))
        await #expect(throws: (any Error).self) { try await bench.rows("SELECT * FROM posts") }
        await #expect(throws: StoreError.self) {
            try await self.export(RecordExport("posts", content: .columns), of: bench.store)
        }
        #expect(try await export(RecordExport("posts"), of: bench.store).rows.count == 1)
    }

    @Test func `elements inside of records come in the order of keys and places, without sorting`() async throws {
        let bench = try await FileBench()
        let schema = RecordSchema(children: [RecordChildren("labels", at: JSONPath(member: "labels"))])
        try await bench.commit(
            #"[{"id":"b","labels":[1,"x",12345678901234567890]},{"id":"a","labels":[{"n":1.0},null]}]"#, schema: schema)
        let all = try await export(RecordExport("posts_labels"), of: bench.store)
        let places = all.rows.map { row in row.values.suffix(2).map(text).joined(separator: " ") }
        let wanted: [String] = ["a 0", "a 1", "b 0", "b 1", "b 2"]
        #expect(places == wanted)
        #expect(all.rows.contains { $0.values.contains(.json(Array("12345678901234567890".utf8))) })
        let view = try #require(
            try await bench.store.read { try ResourceView.load(named: "posts", $0)?.children.first })
        #expect(try await !bench.plan("SELECT 1 \(view.elements().text) ORDER BY r.key").contains("TEMP B-TREE"))
    }

    @Test func `chosen columns come in their order, and unknown ones are refused`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a","n":1,"title":"x"}]"#)
        let chosen = RecordExport("posts", content: .named(["title", "siding_key", "id"]))
        #expect(try await export(chosen, of: bench.store).columns == ["title", "siding_key", "id"])
        for names in [["absent"], ["id", "id"], ["ID"], [""]] {
            let kind = try await storeErrorKind {
                _ = try await export(RecordExport("posts", content: .named(names)), of: bench.store)
            }
            #expect(kind == .invalidQuery, "\(names)")
        }
    }

    @Test func `a name of nothing is not found, and tombstones inside of records are refused`() async throws {
        let bench = try await FileBench()
        let schema = RecordSchema(children: [RecordChildren("labels", at: JSONPath(member: "labels"))])
        try await bench.commit(#"[{"id":"a","labels":[]}]"#, schema: schema)
        for name in ["absent", "posts_absent", "POSTS", "siding_records_posts", ""] {
            let kind = try await storeErrorKind { _ = try await export(RecordExport(name), of: bench.store) }
            #expect(kind == .notFound, "\(name)")
        }
        for selection in [RecordExport.Selection.deleted, .changed(since: 0)] {
            let kind = try await storeErrorKind {
                _ = try await export(RecordExport("posts_labels", selection: selection), of: bench.store)
            }
            #expect(kind == .invalidQuery)
        }
    }

    @Test func `all is of one moment, and writers are not held up`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        let path = bench.path
        let other = try await Store.open(at: path, access: .readWrite)
        let keys = Mutex<[String]>([])
        let written = DispatchSemaphore(value: 0)
        _ = try await bench.store.export(RecordExport("posts")) { _ in
        } row: { row in
            keys.withLock { $0.append(row.record?.key ?? "") }
            guard keys.withLock(\.count) == 1 else { return }
            // A commit of another connection, to its end, while the export stands at its first row.
            Task { [other] in
                _ = try? await other.delete(RecordLookup(resource: "posts", keys: ["b", "c"]))
                written.signal()
            }
            written.wait()
        }
        #expect(keys.withLock(\.self) == ["a", "b", "c"])
        #expect(try await other.count(of: "posts").count == 1)
        await other.close()
    }

    @Test func `a cancelled export ends, and so does one whose reader throws`() async throws {
        let bench = try await FileBench()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#)
        let store = try bench.store
        struct Enough: Error {}
        await #expect(throws: Enough.self) {
            _ = try await store.export(RecordExport("posts")) { _ in
            } row: { _ in
                throw Enough()
            }
        }
        let task = Task {
            _ = try await store.export(RecordExport("posts")) { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            } row: { _ in
            }
        }
        let kind = try await storeErrorKind { try await task.value }
        #expect(kind == .cancelled)
    }
}
