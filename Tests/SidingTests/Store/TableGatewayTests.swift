import Foundation
import Testing

/// The statements that write a table belong to one type, so that its files show everything that can happen to a row.
@Suite struct TableGatewayTests {
    /// The files of the module with their texts, by their paths.
    private func sources() throws -> [String: String] {
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
        for (path, text) in try sources() {
            let name = URL(filePath: path).deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
            for match in text.matches(of: /(?:INSERT (?:OR \w+ )?INTO|UPDATE|DELETE FROM)\s+(siding_\w+)/) {
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
        #expect(writers["siding_history"] == ["HistoryPruning", "RecordsTable"])
    }

    @Test func `a statement whose table is a variable writes a table that is made at run time`() throws {
        var writers: Set<String> = []
        for (path, text) in try sources() {
            let statements = text.matches(of: /(?:INSERT (?:OR \w+ )?INTO|REPLACE INTO|UPDATE|DELETE FROM)\s+\\\(/)
            if !statements.isEmpty { writers.insert(path) }
        }
        // The tables of records, and those of full-text indexes.
        #expect(writers.filter { !$0.hasPrefix("Records/Table/") } == ["Records/TextSearch/TextIndex.swift"])
        #expect(writers.count > 3, "the statements were not found")
    }

    @Test func `the rows of resources are read by one type, but where a statement joins them`() throws {
        let readers = try sources().filter { $0.value.contains(/(?:FROM|JOIN)\s+siding_resources/) }.keys
        #expect(
            Set(readers) == [
                "Resources/ResourcesTable.swift",
                // Joins: of the quarantine, and of what is checked across tables.
                "Schema/Quarantine/QuarantineTable.swift", "Outbox/Tables/OutboxEditsTable.swift",
                "Maintenance/Store+Maintenance.swift",
                // Within the statement of a view, or of a trigger.
                "Records/Table/RecordsTable.swift", "Records/Table/RecordsTable+History.swift",
            ])
    }
}
