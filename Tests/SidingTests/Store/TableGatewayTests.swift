import Foundation
import Testing

/// The statements that write a table belong to one type, so that its files show everything that can happen to a row. Only statements
/// that contain the name of their table are found: those of the records tables, whose names are made at run time, are not.
@Suite struct TableGatewayTests {
    /// The files that write each table, without what follows a `+`: a type may be spread over files.
    private func writers() throws -> [String: Set<String>] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/Siding")
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var writers: [String: Set<String>] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let name = file.deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
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
}
