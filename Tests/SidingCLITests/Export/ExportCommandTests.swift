// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// What `siding export` writes.
@Suite(.serialized)
struct ExportCommandTests {
    /// Records with all that breaks lines and fields.
    private static let odd = [
        #"{"id":1,"t":"plain","n":12345678901234567890123,"b":true,"o":{"k":[1,2.0,"x"]},"z":null}"#,
        #"{"id":2,"t":"say \"hi\", you","n":0.10,"b":false,"o":[],"z":""}"#,
        #"{"id":3,"t":"two\nlines\r\n\tand a \\ tab","n":-1e-7,"o":"é 漢 🚂","z":"a\u0000b"}"#,
    ]

    private func sandbox() async throws -> Sandbox {
        let listing = RecordListing(
            "/odd", of: Dataset(Self.odd.enumerated().map { .init(key: String($0.offset + 1), json: $0.element) }))
        let service = try await Service.start(items: 3, routes: [listing])
        let sandbox = try Sandbox.with(service, more: "  odd: { path: /odd, key: id }")
        #expect(try await sandbox.siding("sync").status == 0)
        await service.origin.stop()
        return sandbox
    }

    @Test func `JSON Lines are the bodies, a line each, nothing else`() async throws {
        let sandbox = try await sandbox()
        let outcome = try await sandbox.siding("export", "odd")
        #expect(outcome.status == 0)
        #expect(outcome.error == "")
        #expect(outcome.output == Self.odd.joined(separator: "\n") + "\n")
        #expect(try await sandbox.siding("export", "odd", "-o", "-", "--format", "jsonl").output == outcome.output)
    }

    @Test func `JSON is one array, empty or not`() async throws {
        let sandbox = try await sandbox()
        let all = try await sandbox.siding("export", "odd", "--format", "json")
        #expect(all.output == "[\n" + Self.odd.joined(separator: ",\n") + "\n]\n")
        let none = try await sandbox.siding("export", "odd", "--format", "json", "--deleted")
        #expect(none.output == "[]\n")
    }

    @Test func `CSV quotes special characters, and distinguishes null from an empty text`() async throws {
        let outcome = try await sandbox().siding("export", "odd", "--format", "csv")
        let wanted: [String] = [
            "id,t,n,b,o,z\n", "1,plain,12345678901234567890123,true,\"{\"\"k\"\":[1,2.0,\"\"x\"\"]}\",\n",
            "2,\"say \"\"hi\"\", you\",0.10,false,[],\"\"\n",
            "3,\"two\nlines\r\n\tand a \\ tab\",-1e-7,,é 漢 🚂,a\0b\n",
        ]
        #expect(outcome.output == wanted.joined())
    }

    @Test func `TSV escapes what would break a row`() async throws {
        let outcome = try await sandbox().siding("export", "odd", "--format", "tsv")
        let wanted: [String] = [
            "id\tt\tn\tb\to\tz\n", "1\tplain\t12345678901234567890123\ttrue\t{\"k\":[1,2.0,\"x\"]}\t\n",
            "2\tsay \"hi\", you\t0.10\tfalse\t[]\t\n",
            "3\ttwo\\nlines\\r\\n\\tand a \\\\ tab\t-1e-7\t\té 漢 🚂\ta\0b\n",
        ]
        #expect(outcome.output == wanted.joined())
    }

    @Test func `a record's own members keep their columns beside the columns about the record`() async throws {
        let records = Dataset([.init(key: "1", json: #"{"id":1,"siding_run":"mine","siding_change":"own"}"#)])
        let service = try await Service.start(items: 0, routes: [RecordListing("/odd", of: records)])
        let sandbox = try Sandbox.with(service, more: "  odd: { path: /odd, key: id }")
        #expect(try await sandbox.siding("sync", "odd").status == 0)
        let all = try await sandbox.siding("export", "odd", "--format", "csv", "--with-meta")
        let lines = all.output.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
        let wanted = [
            "siding_key", "siding_first_seen_at", "siding_changed_at", "siding_run_", "id", "siding_run",
            "siding_change",
        ]
        #expect(lines.first == wanted)
        #expect(lines.last?.suffix(4) == ["1", "1", "mine", "own"])
        await service.origin.stop()
    }

    @Test func `a member that is called as a column of Siding's is one of its own, in view and export`() async throws {
        let records = Dataset([.init(key: "1", json: #"{"id":1,"siding_key":"mine","name, first":"ada","a \"b\"":2}"#)])
        let service = try await Service.start(items: 0, routes: [RecordListing("/odd", of: records)])
        let sandbox = try Sandbox.with(service, more: "  odd: { path: /odd, key: id }")
        #expect(try await sandbox.siding("sync", "odd").status == 0)
        let view = try await sandbox.siding("query", "SELECT siding_key_2 FROM odd", "--json").object()
        #expect(view["siding_key_2"]?.string == "mine")
        let both = try await sandbox.siding(
            "export", "odd", "--format", "csv", "--columns", #"siding_key,siding_key_2,"name, first""#)
        #expect(both.output == "siding_key,siding_key_2,\"name, first\"\n1,mine,ada\n")
        let meta = try await sandbox.siding(
            "export", "odd", "--format", "csv", "--with-meta", "--columns", "siding_key_2")
        #expect(meta.output.hasPrefix("siding_key,siding_first_seen_at,siding_changed_at,siding_run,siding_key_2\n1,"))
        for wrong in [#""id"#, #"id,"a"b"#, "id,", ""] {
            #expect(try await sandbox.siding("export", "odd", "--columns", wrong).status == 64, "\(wrong)")
        }
        await service.origin.stop()
    }

    @Test func `the file's name sets the format, and --format overrides it`() async throws {
        let sandbox = try await sandbox()
        for (name, options, first) in [
            ("a.csv", [], "id,title,price"), ("a.TSV", [], "id\ttitle\tprice"), ("a.json", [], "["),
            ("a.ndjson", [], #"{"id":1,"title":"item 1","price":1.50}"#), ("a.txt", [], #"{"id":1"#),
            ("b.csv", ["--format", "json"], "["), ("no.d/a", [], #"{"id":1"#),
        ] as [(String, [String], String)] {
            try FileManager.default.createDirectory(
                atPath: sandbox.file("no.d"), withIntermediateDirectories: true)
            let outcome = try await sandbox.siding(["export", "items", "-o", name] + options)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.everything == "")
            let text = try String(contentsOfFile: sandbox.file(name), encoding: .utf8)
            #expect(text.hasPrefix(first), "\(name)")
        }
    }

    @Test func `columns are chosen by name, in JSON too, and a wrong one exits 64 with those there are`() async throws {
        let sandbox = try await sandbox()
        let csv = try await sandbox.siding("export", "items", "--format", "csv", "--columns", "title,siding_key")
        #expect(csv.output.hasPrefix("title,siding_key\nitem 1,1\n"))
        let json = try await sandbox.siding("export", "items", "--columns", "price,id")
        #expect(json.output.hasPrefix(#"{"price":1.50,"id":1}"# + "\n"))
        let wrong = try await sandbox.siding("export", "items", "--columns", "titel", "--json")
        #expect(wrong.status == 64)
        #expect(try wrong.object()["error"]?["hint"]?.string == "it has: id, title, price")
        #expect(try await sandbox.siding("export", "items", "--columns", "id,,title").status == 64)
    }

    @Test func `meta wraps a record as records list does, and stands before the columns of a table`() async throws {
        let sandbox = try await sandbox()
        let wrapped = try await sandbox.siding("export", "items", "--with-meta")
        #expect(try await wrapped.output == sandbox.siding("records", "list", "items", "--json").output)
        let table = try await sandbox.siding("export", "items", "--with-meta", "--format", "tsv")
        let row = try #require(table.lines.dropFirst().first).split(separator: "\t", omittingEmptySubsequences: false)
        #expect(
            table.lines.first == "siding_key\tsiding_first_seen_at\tsiding_changed_at\tsiding_run\tid\ttitle\tprice")
        #expect(row.first == "1")
        #expect(row.dropFirst(3).joined(separator: " ") == "1 1 item 1 1.50")
    }

    @Test func `an unknown resource or run exits 66, invalid options exit 64`() async throws {
        let sandbox = try await sandbox()
        for (arguments, status) in [
            (["absent"], 66), (["items_absent"], 66), (["items", "--changed-since", "99"], 66),
            (["items", "--changed-since", "-1"], 64), (["items", "--changed-since", "x"], 64),
            (["items", "--changed-since", "1", "--deleted"], 64), (["items", "--format", "xml"], 64), ([], 64),
            (["items", "--columns", ""], 64),
        ] as [([String], Int32)] {
            let words = try await sandbox.siding(["export"] + arguments)
            #expect(words.status == status, "\(arguments): \(words.everything)")
            #expect(words.output == "")
            let object = try await sandbox.siding(["export", "--json"] + arguments)
            #expect(object.status == status)
            #expect(try object.object()["error"]?["code"] == .number(Double(status)))
            let file = try await sandbox.siding(["export", "-o", "x.csv"] + arguments)
            #expect(file.status == status)
            #expect(try sandbox.strangers() == [])
        }
    }

    @Test func `with --json the summary is an object, beside the data where that has standard output`() async throws {
        let sandbox = try await sandbox()
        let file = try await sandbox.siding("export", "items", "-o", "items.csv", "--json").object()
        let wanted: [String: JSONValue] = [
            "resource": .string("items"), "format": .string("csv"), "path": .string("items.csv"),
            "records": .number(3), "run": .number(1),
        ]
        #expect(file == wanted)
        let piped = try await sandbox.siding("export", "items", "--json")
        #expect(piped.lines.count == 3)
        #expect(piped.error.contains(#""records":3,"run":1"#))
    }

    @Test func `a reader that goes away ends it quietly, a full output with 74`() async throws {
        let sandbox = try await sandbox()
        try await sandbox.fill("items", to: 20_000)
        let (outcome, line) = try await sandbox.siding(["export", "items"], into: .head)
        #expect(outcome.status == 141)
        #expect(outcome.error == "")
        #expect(line.hasPrefix("{"))
        let (full, _) = try await sandbox.siding(["export", "items"], into: .fullDisk)
        #expect(full.status == 74)
    }
}

extension Sandbox {
    /// Files that neither the test nor the database put here.
    func strangers(in directory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file(directory)).filter { name in
            !name.hasPrefix("test.db") && name != "siding.yaml"
        }.sorted()
    }

    /// Adds records to a resource behind Siding's back: as quick as it gets.
    func fill(_ resource: String, to count: Int, size: Int = 200) async throws {
        try await sqlite(
            file("test.db"),
            """
            INSERT OR IGNORE INTO siding_records_\(resource) (key, body, first_seen_at, changed_at, run, revision, pending,
                lives_since, cause)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            SELECT i, '{"id":' || i || ',"title":"' || printf('%.\(size)c', 'x') || '"}', 1, 1, 1, 1, 0, 1, 'page' FROM n
            """)
    }
}
