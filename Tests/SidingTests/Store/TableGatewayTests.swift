// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The statements that write a table belong to one type, so that its files show everything that can happen to a row.
@Suite struct TableGatewayTests {
    /// The files of the module with their texts, by their paths.
    static func sources() throws -> [String: String] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        let root = tests.appending(path: "../../../Sources/Siding").standardized
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var sources: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            let path = file.standardized.path.dropFirst(root.path.count + 1)
            sources[String(path)] = try String(contentsOf: file, encoding: .utf8)
        }
        return sources
    }

    /// The types that write each table: their files without what follows a `+`, as a type may be spread over files.
    private func writers() throws -> [String: Set<String>] {
        var writers: [String: Set<String>] = [:]
        for (path, text) in try Self.sources() {
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
            for match in text.matches(of: /(?:INSERT (?:OR \w+ )?INTO|REPLACE INTO|UPDATE|DELETE FROM)\s+(siding_\w+)/)
            {
                writers[String(match.1), default: []].insert(String(name))
            }
        }
        return writers
    }

    @Test func `the statements that name a table and write it belong to one type`() throws {
        let writers = try writers()
        #expect(writers.count > 20, "the statements were not found")
        for (table, files) in writers where table != "siding_history" {
            #expect(files.count == 1, "\(table) is written by \(files.sorted())")
        }
        // A trigger on the records' table adds versions; pruning removes them.
        #expect(writers["siding_history"] == ["HistoryTable", "RecordsTable"])
    }

    @Test func `a statement whose table is a variable writes a table that is made at run time`() throws {
        var writers: Set<String> = []
        for (path, text) in try Self.sources() {
            let statements = text.matches(of: /(?:INSERT (?:OR \w+ )?INTO|REPLACE INTO|UPDATE|DELETE FROM)\s+\\\(/)
            if !statements.isEmpty { writers.insert(path) }
        }
        // The tables of records, and those of full-text indexes.
        #expect(writers.filter { !$0.hasPrefix("Records/Table/") } == ["Records/TextSearch/TextIndex.swift"])
        #expect(writers.count > 3, "the statements were not found")
    }

    @Test func `the type that writes a table is named after it`() throws {
        // A value that knows its own rows.
        let others = ["siding_stored_columns": "StoredColumn"]
        for (table, files) in try writers() {
            let name = table.split(separator: "_").dropFirst().map(\.capitalized).joined() + "Table"
            #expect(files.contains(others[table] ?? name), "\(table) is written by \(files.sorted())")
        }
    }

    @Test(
        arguments: [
            // Joins: of the quarantine, and of what is checked across tables; then views and triggers.
            (
                "siding_resources",
                [
                    "ResourcesTable", "QuarantineTable", "OutboxEditsTable", "Store+Check", "RecordsTable",
                    "RecordsTable+History",
                ]
            ),
            // Joins: of parents, of a pass and its listings, of retained fetches, of pages and answers with their listing,
            // and of a record with the listings of the parents that may show it.
            (
                "siding_listings",
                [
                    "ListingsTable", "ParentCompiler", "PassesTable", "OutboxTable", "PagesTable", "QuarantineTable",
                    "Store+Check", "Store+Listings", "OtherParents",
                ]
            ),
            ("siding_pages", ["PagesTable", "QuarantineTable", "OtherParents"]),
            ("siding_cursors", ["CursorsTable"]),
            ("siding_passes", ["PassesTable"]),
            // What changed since a run is read with its revisions.
            ("siding_runs", ["RunsTable", "RunResourcesTable", "ChangeFeed"]),
            // A run stays while it has the newest result of a resource.
            ("siding_run_resources", ["RunResourcesTable", "RunsTable"]),
            // The past is a view; a request stays while a version refers to it.
            ("siding_history", ["HistoryTable", "PastViews", "ProvenanceTable", "Store+Check"]),
            ("siding_fields", ["FieldsTable"]),
            ("siding_columns", ["ColumnsTable"]),
        ] as [(String, [String])])
    func `the rows of a table are read by its type, but where a statement joins them`(
        table: String, readers: [String]
    ) throws {
        let reading = try Regex("(?:FROM|JOIN)\\s+\(table)\\b")
        let found = try Self.sources().filter { $0.value.contains(reading) }.keys.map {
            URL(filePath: $0).deletingPathExtension().lastPathComponent
        }
        #expect(Set(found) == Set(readers))
    }
}
