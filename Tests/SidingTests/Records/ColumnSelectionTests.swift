// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

/// Records as rows of their first columns, sorted and filtered.
@Suite struct ColumnSelectionTests {
    private static let json = """
        [{"id":3,"title":"Caf\\u00e9","n":10,"open":true,"labels":["x"],"a":1,"b":2,"c":3},
        {"id":1,"title":"apple","n":9,"open":false,"labels":[]},
        {"id":2,"title":null,"n":"10","open":true,"labels":["y"]}]
        """

    private func rows(
        _ bench: FileBench, order: ColumnSelection.Order? = nil, filter: ColumnSelection.Condition? = nil,
        offset: Int = 0, limit: Int = 9
    ) async throws -> [String] {
        let selection = ColumnSelection(
            resource: "posts", order: order, filter: filter, offset: offset, limit: limit)
        return try await bench.store.rows(selection).rows.map(\.record.key)
    }

    @Test func `the first members are columns, in plain text, and nested ones come last`() async throws {
        let bench = try await FileBench()
        try await bench.commit(Self.json)
        let found = try await bench.store.rows(ColumnSelection(resource: "posts", limit: 9))
        #expect(found.columns == ["title", "n", "open", "a", "b"])
        #expect(found.rows.map(\.record.key) == ["1", "2", "3"])
        #expect(
            found.rows.map { $0.values.prefix(3) } == [
                ["apple", "9", "false"], [nil, "10", "true"], ["Café", "10", "true"],
            ])
        #expect(found.allColumns.contains("labels") && found.unindexed == nil)
    }

    @Test func `declared columns come in their order`() async throws {
        let bench = try await FileBench()
        let columns = [
            RecordColumn("n", .integer), RecordColumn("id", .integer),
            RecordColumn("first", .text, at: try JSONPath(parsing: "$.labels[0]")),
        ]
        try await bench.commit(Self.json, schema: RecordSchema(columns: columns))
        let found = try await bench.store.rows(ColumnSelection(resource: "posts", limit: 9))
        // The key stands before them.
        #expect(found.columns == ["n", "first"])
        #expect(found.rows.map(\.values) == [["9", nil], ["10", "y"], ["10", "x"]])
    }

    @Test(arguments: [false, true])
    func `rows are sorted and filtered by a column, with an index or without`(_ isIndexed: Bool) async throws {
        let bench = try await FileBench()
        let columns = [
            RecordColumn("title", .text, isIndexed: isIndexed), RecordColumn("n", isIndexed: isIndexed),
            RecordColumn("open", .boolean, isIndexed: isIndexed),
        ]
        try await bench.commit(Self.json, schema: RecordSchema(columns: columns))
        #expect(try await rows(bench, order: .init("title")) == ["2", "3", "1"])
        #expect(try await rows(bench, order: .init("title", isDescending: true)) == ["1", "3", "2"])
        #expect(try await rows(bench, order: .init("title"), offset: 1, limit: 1) == ["3"])
        #expect(try await rows(bench, order: .init(ColumnSelection.key, isDescending: true)) == ["3", "2", "1"])
        // As people write it: the number and the text that looks like it.
        #expect(try await rows(bench, filter: .init("n", .equals, "10")) == ["2", "3"])
        #expect(try await rows(bench, filter: .init("open", .equals, "true")) == ["2", "3"])
        #expect(try await rows(bench, filter: .init("open", .equals, "false")) == ["1"])
        #expect(try await rows(bench, filter: .init("title", .contains, "CAF")) == ["3"])
        #expect(try await rows(bench, filter: .init("title", .contains, "%")) == [])
        #expect(try await rows(bench, filter: .init("title", .equals, "x' OR 1 --")) == [])
        #expect(
            try await rows(bench, order: .init("n", isDescending: true), filter: .init("open", .equals, "true")) == [
                "2", "3",
            ])
    }

    @Test func `a column that is not in the view is refused`() async throws {
        let bench = try await FileBench()
        try await bench.commit(Self.json)
        let error = await #expect(throws: StoreError.self) {
            try await rows(bench, order: .init("title; DROP TABLE siding_runs"))
        }
        #expect(error?.kind == .invalidQuery)
        let missing = await #expect(throws: StoreError.self) {
            try await bench.store.rows(ColumnSelection(resource: "others", limit: 9))
        }
        #expect(missing?.kind == .notFound)
    }

    @Test func `tombstones are rows of their own`() async throws {
        let bench = try await FileBench()
        try await bench.commit(
            Self.json, schema: RecordSchema(columns: [RecordColumn("title", .text, isIndexed: true)]))
        _ = try await bench.store.delete(RecordLookup(resource: "posts", keys: ["2", "3"]))
        var selection = ColumnSelection(resource: "posts", order: .init("title"), isDeleted: true, limit: 9)
        #expect(try await bench.store.rows(selection).rows.map(\.record.key) == ["2", "3"])
        selection.order = nil
        #expect(try await bench.store.rows(selection).rows.map(\.record.key) == ["2", "3"])
    }

    @Test func `without an index the first records are examined, with one all`() async throws {
        let bench = try await FileBench()
        let records = (1...10_002).map { #"{"id":\#($0),"n":\#(-$0),"m":\#(-$0)}"# }.joined(separator: ",")
        let columns = [RecordColumn("n", .integer, isIndexed: true), RecordColumn("m", .integer)]
        try await bench.commit("[\(records)]", schema: RecordSchema(columns: columns))
        var found = try await bench.store.rows(ColumnSelection(resource: "posts", order: .init("n"), limit: 2))
        #expect(found.rows.map(\.record.key) == ["10002", "10001"] && found.unindexed == nil)
        found = try await bench.store.rows(ColumnSelection(resource: "posts", order: .init("m"), limit: 2))
        #expect(found.rows.map(\.record.key) == ["10000", "9999"] && found.unindexed == "m")
        found = try await bench.store.rows(
            ColumnSelection(resource: "posts", filter: .init("n", .equals, "-10002"), limit: 2))
        #expect(found.rows.map(\.record.key) == ["10002"] && found.unindexed == nil)
        found = try await bench.store.rows(
            ColumnSelection(resource: "posts", filter: .init("m", .equals, "-10002"), limit: 2))
        #expect(found.rows.isEmpty && found.unindexed == "m")
    }
}
