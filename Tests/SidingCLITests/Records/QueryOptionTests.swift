// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// Where a query's statement and its values come from, and how its rows are printed.
@Suite(.serialized)
struct QueryOptionTests {
    private func synced() async throws -> Sandbox {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
        return sandbox
    }

    private static let statement = "SELECT id, title FROM items ORDER BY id LIMIT 2"
    private static let rows = "id\ttitle\n1\titem 1\n2\titem 2\n"

    @Test func `a statement comes from standard input or from a file`() async throws {
        let sandbox = try await synced()
        let text = "-- two items\n\(Self.statement);\n"
        #expect(try await sandbox.siding("query", "-", input: text).output == Self.rows)
        #expect(try await sandbox.siding("query", "-f", "-", input: text).output == Self.rows)
        try sandbox.write(text, to: "two.sql")
        try sandbox.write("\u{FEFF}" + text, to: "marked.sql")
        #expect(try await sandbox.siding("query", "-f", "two.sql").output == Self.rows)
        #expect(try await sandbox.siding("query", "--file", "marked.sql").output == Self.rows)
    }

    @Test func `a statement that is missing, given twice or not a text is refused`() async throws {
        let sandbox = try await synced()
        try sandbox.write("SELECT 1", to: "one.sql")
        try sandbox.write([0x53, 0xFF], to: "bytes.sql")
        try sandbox.write([UInt8](repeating: 0x20, count: 1 << 20) + Array("SELECT 1".utf8), to: "long.sql")
        for (arguments, status, part) in [
            ([], 64, "Give a statement"), (["SELECT 1", "-f", "one.sql"], 64, "either"),
            (["-f", "no.sql"], 66, "no.sql"),
            (["-f", "bytes.sql"], 64, "UTF-8"), (["-f", "long.sql"], 64, "maximum"), (["-f", "."], 66, "cannot be"),
        ] as [([String], Int32, String)] {
            let outcome = try await sandbox.siding(["query"] + arguments)
            #expect(outcome.status == status && outcome.output == "", "\(arguments): \(outcome.everything)")
            #expect(outcome.error.contains(part), "\(arguments): \(outcome.error)")
        }
    }

    @Test(arguments: [
        ("csv", "id,title\n1,item 1\n2,item 2\n"), ("tsv", rows),
        ("jsonl", "{\"id\":1,\"title\":\"item 1\"}\n{\"id\":2,\"title\":\"item 2\"}\n"),
        ("json", "[\n{\"id\":1,\"title\":\"item 1\"},\n{\"id\":2,\"title\":\"item 2\"}\n]\n"),
        ("table", "ID  TITLE\n1   item 1\n2   item 2\n"),
    ])
    func `each format prints the rows`(_ format: String, _ output: String) async throws {
        let sandbox = try await synced()
        let outcome = try await sandbox.siding("query", Self.statement, "--format", format)
        #expect(outcome.status == 0 && outcome.output == output)
        // With --json too, which is then about failures.
        #expect(try await sandbox.siding("query", Self.statement, "--format", format, "--json").output == output)
        let none = try await sandbox.siding("query", "SELECT id FROM items WHERE 0", "--format", format)
        let empty = ["csv": "id\n", "tsv": "id\n", "jsonl": "", "json": "[]\n", "table": "ID\n"]
        #expect(none.output == empty[format])
    }

    @Test func `a format that does not exist is refused, and Parquet with the way to make it`() async throws {
        let sandbox = try await synced()
        let odd = try await sandbox.siding("query", "SELECT 1", "--format", "xml")
        #expect(odd.status == 64 && odd.error.contains("csv, tsv, json, jsonl, table"), "\(odd.error)")
        for arguments in [
            ["query", "SELECT 1", "--format", "parquet"], ["export", "items", "--format", "parquet"],
            ["export", "items", "-o", "items.parquet"],
        ] {
            let outcome = try await sandbox.siding(arguments)
            #expect(outcome.status == 64 && outcome.error.contains("DuckDB"), "\(arguments): \(outcome.error)")
            #expect(!FileManager.default.fileExists(atPath: sandbox.file("items.parquet")))
        }
    }

    @Test(arguments: [
        ("7", "integer", "7"), ("-1.5e2", "real", "-150.0"), ("true", "integer", "1"), ("null", "null", ""),
        ("item 1", "text", "item 1"), ("007", "text", "007"), (#""7""#, "text", "7"), ("", "text", ""),
        ("a=b", "text", "a=b"), ("[1]", "text", "[1]"), ("12345678901234567890", "text", "12345678901234567890"),
        ("it's; DROP VIEW items", "text", "it's; DROP VIEW items"),
    ])
    func `a parameter has the type of its value`(_ value: String, _ type: String, _ shown: String) async throws {
        let sandbox = try await synced()
        for sign in [":", "@", "$"] {
            let outcome = try await sandbox.siding(
                "query", "SELECT typeof(\(sign)v) AS t, \(sign)v AS v", "--param", "v=\(value)")
            #expect(outcome.output == "t\tv\n\(type)\t\(shown)\n", "\(sign) \(outcome.error)")
        }
    }

    @Test func `parameters choose rows, and those that do not fit the statement are refused`() async throws {
        let sandbox = try await synced()
        let one = try await sandbox.siding(
            "query", "SELECT id FROM items WHERE title = :title AND id < :most", "--param", "title=item 2", "--param",
            ":most=3")
        #expect(one.output == "id\n2\n")
        for (arguments, part) in [
            (["SELECT :id"], "'id' of the statement has no value"), (["SELECT ?"], "has no name"),
            (["SELECT 1", "--param", "id=secret"], "no parameter 'id'"),
            (["SELECT :id", "--param", "id=1", "--param", "id=2"], "twice"),
            (["SELECT :id", "--param", "id"], "param"),
        ] as [([String], String)] {
            let outcome = try await sandbox.siding(["query"] + arguments)
            #expect(outcome.status == 64 && outcome.output == "", "\(arguments)")
            #expect(outcome.error.contains(part) && !outcome.error.contains("secret"), "\(arguments): \(outcome.error)")
        }
    }
}
