// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import Testing

/// Searching stored records for words: the built program over a real origin.
@Suite(.serialized)
struct SearchCommandTests {
    private static let trains = #"""
        [{"id":1,"title":"Fast train","body":"It was the fastest train of all fast trains","price":77},
         {"id":2,"title":"Slow boat","body":"No train in sight","author":{"login":"grace"}},
         {"id":3,"title":"Café","labels":["train"]}]
        """#

    /// A sandbox whose resource `items` has the records of `page`.
    private static func synced(_ page: String, resource: String = "") async throws -> (Service, Sandbox) {
        let service = try await Service.start(items: 0)
        service.listen { _, _ in .json(page) }
        let sandbox = try Sandbox.with(
            service, resource: "paginate: none" + (resource.isEmpty ? "" : ", \(resource)"))
        #expect(try await sandbox.siding("sync").status == 0)
        return (service, sandbox)
    }

    private static func keys(_ sandbox: Sandbox, _ arguments: String...) async throws -> [String?] {
        try await sandbox.siding(["search", "items", "--json"] + arguments).objects().map { $0["key"]?.string }
    }

    @Test func `the best match comes first, with the text around it`() async throws {
        let (service, sandbox) = try await Self.synced(Self.trains)
        let found = try await sandbox.siding("search", "items", "train")
        #expect(found.status == 0 && found.error == "")
        #expect(found.lines.count == 2 && found.lines.first?.hasPrefix("1  ") == true)
        #expect(found.lines.last == "2  No train in sight")
        let objects = try await sandbox.siding("search", "items", "TRAIN", "--json").objects()
        #expect(objects.map { $0["key"] } == [.string("1"), .string("2")])
        #expect(objects[0]["body"]?["price"]?.int == 77)
        let ranks = objects.compactMap { if case .number(let rank)? = $0["rank"] { rank } else { nil } }
        #expect(ranks.count == 2 && ranks[0] < ranks[1])
        #expect(
            objects[1]["snippet"]
                == .array([
                    .object(["text": .string("No ")]),
                    .object(["text": .string("train"), "match": .bool(true)]),
                    .object(["text": .string(" in sight")]),
                ]))
        #expect(try await Self.keys(sandbox, "sight", "boat") == ["2"])
        #expect(try await Self.keys(sandbox, "cafe") == ["3"])
        await service.origin.stop()
    }

    @Test func `a limit shows the best matches, and says that there are more`() async throws {
        let (service, sandbox) = try await Self.synced(Self.trains)
        let first = try await sandbox.siding("search", "items", "train", "--limit", "1")
        #expect(first.lines.count == 1 && first.error == "more records match; --limit 0 shows all\n")
        for limit in ["0", "2", "9223372036854775807"] {
            let all = try await sandbox.siding("search", "items", "train", "--limit", limit)
            #expect(all.lines.count == 2 && all.error == "", "\(limit)")
        }
        #expect(try await sandbox.siding("search", "items", "train", "--limit=-1").status == 64)
        await service.origin.stop()
    }

    @Test func `no search text is a syntax error`() async throws {
        let (service, sandbox) = try await Self.synced(Self.trains)
        for words in [
            "\"", "\"quoted", "NOT", "AND train", "OR", "NEAR(", "title:", "c0 : x", "trai*", "(", ")", "^fast",
            "a\"b\"", "{c0}", "'; DROP TABLE siding_text_1", "-", "-train", "--json", "+", "\\", "", "  ", "🚂",
            "\u{1B}[2J", "\u{301}",
        ] {
            for form in [[], ["--phrase"], ["--prefix"]] {
                let found = try await sandbox.siding(["search", "items"] + form + ["--", words])
                #expect(found.status == 0, "\(form) \(words): \(found.error)")
                let nothing = "no record of 'items' matches; searched title, body\n"
                #expect(found.error == (found.output == "" ? nothing : ""), "\(form) \(words)")
            }
        }
        await service.origin.stop()
    }

    @Test func `a search without a match says which columns it covered`() async throws {
        let (service, sandbox) = try await Self.synced(Self.trains, resource: "columns: { id: integer, title: text }")
        let nothing = try await sandbox.siding("search", "items", "sight")
        #expect(nothing.status == 0 && nothing.output == "")
        #expect(nothing.error == "no record of 'items' matches; searched title, its columns of type text\n")
        await service.origin.stop()
    }

    @Test func `phrases, beginnings and the language of FTS5 each have a flag`() async throws {
        let (service, sandbox) = try await Self.synced(Self.trains)
        #expect(try await Self.keys(sandbox, "--phrase", "fast", "trains") == ["1"])
        #expect(try await Self.keys(sandbox, "--phrase", "trains fast") == [])
        #expect(try await Self.keys(sandbox, "trains fast") == ["1"])
        #expect(try await Self.keys(sandbox, "trai") == [])
        #expect(try await Self.keys(sandbox, "--prefix", "trai").count == 2)
        #expect(try await Self.keys(sandbox, "--query", "train NOT boat") == ["1"])
        #expect(try await Self.keys(sandbox, "--query", "caf* OR sight").count == 2)
        for wrong in ["\"", "AND", "(a", "nothing:a"] {
            let refused = try await sandbox.siding("search", "items", "--query", wrong)
            #expect(refused.status == 64 && refused.output == "" && refused.error.contains("FTS5"), "\(wrong)")
            let error = try await sandbox.siding("search", "items", "--query", wrong, "--json").object()["error"]
            #expect(error?["name"] == .string("invalid_query"), "\(wrong)")
        }
        #expect(try await sandbox.siding("search", "items", "--phrase", "--prefix", "a").status == 64)
        #expect(try await sandbox.siding("search", "items").status == 64)
        await service.origin.stop()
    }

    @Test(arguments: [
        // No column is declared, or none of type text: all texts at the top level, and nothing below.
        (resource: "", finds: ["sight"], misses: ["grace", "77"]),
        (resource: "columns: { id: integer }", finds: ["sight"], misses: ["grace", "77"]),
        (
            resource: "columns: { id: integer, title: text, login: { type: text, path: '$.author.login' } }",
            finds: ["grace", "boat", "grace boat"], misses: ["sight", "77"]
        ),
        (resource: "columns: { price: text }", finds: ["77"], misses: ["sight", "boat"]),
    ])
    func `declared columns of type text are searched, and without them all texts of the records`(
        resource: String, finds: [String], misses: [String]
    ) async throws {
        let (service, sandbox) = try await Self.synced(Self.trains, resource: resource)
        for words in finds { #expect(try await Self.keys(sandbox, words).count == 1, "\(words)") }
        for words in misses { #expect(try await Self.keys(sandbox, words) == [], "\(words)") }
        await service.origin.stop()
    }

    @Test func `the first search builds the index, the next ones write nothing, and syncs keep it up to date`()
        async throws
    {
        let (service, sandbox) = try await Self.synced(
            Self.trains, resource: "deletes: { detect: complete_listing }")
        func isIndexed() async throws -> String {
            try await sandbox.sqlite(sandbox.file("test.db"), "SELECT count(text_index) FROM siding_resources").output
        }
        #expect(try await isIndexed() == "0\n")
        #expect(try await Self.keys(sandbox, "train") == ["1", "2"])
        #expect(try await isIndexed() == "1\n")
        let before = Self.database(sandbox)
        #expect(try await Self.keys(sandbox, "boat") == ["2"])
        #expect(Self.database(sandbox) == before)

        service.listen { _, _ in
            .json(#"[{"id":1,"title":"Fast car"},{"id":4,"title":"Night train","note":"sleeper"}]"#)
        }
        for _ in 1...3 { #expect(try await sandbox.siding("sync", "--accept-deletes").status == 0) }
        #expect(try await Self.keys(sandbox, "train") == ["4"])
        #expect(try await Self.keys(sandbox, "car") == ["1"])
        // A member that is new is searched as well.
        #expect(try await Self.keys(sandbox, "sleeper") == ["4"])
        #expect(try await sandbox.siding("db", "check").status == 0)
        await service.origin.stop()
    }

    /// The bytes of the database and of its log.
    private static func database(_ sandbox: Sandbox) -> [Data] {
        ["test.db", "test.db-wal"].map { FileManager.default.contents(atPath: sandbox.file($0)) ?? Data() }
    }

    @Test func `without records nothing is found, and without texts the search is refused`() async throws {
        let (service, sandbox) = try await Self.synced("[]")
        let empty = try await sandbox.siding("search", "items", "train")
        #expect(empty.status == 0 && empty.output == "" && empty.error == "'items' has no records\n")
        let quiet = try await sandbox.siding("search", "items", "train", "--json")
        #expect(quiet.status == 0 && quiet.everything == "")
        service.listen { _, _ in .json(#"[{"id":1,"price":2.5,"tags":["train"]}]"#) }
        #expect(try await sandbox.siding("sync").status == 0)
        let refused = try await sandbox.siding("search", "items", "train")
        #expect(refused.status == 64 && refused.error.contains("'items' has no texts to search"), "\(refused.error)")
        await service.origin.stop()
    }

    @Test func `matches are bold at a terminal, unless colour is off`() async throws {
        let (service, sandbox) = try await Self.synced(Self.trains)
        let program = try SidingBinary.path()
        func terminal(_ options: String) async throws -> String {
            try await sandbox.run("/usr/bin/script", ["-qec", "\(program) search items sight \(options)", "/dev/null"])
                .output
        }
        #expect(try await terminal("") == "2  No train in \u{1B}[1msight\u{1B}[0m\r\n")
        #expect(try await terminal("--no-color") == "2  No train in sight\r\n")
        await service.origin.stop()
    }

    @Test func `the content of a record can neither steer the terminal nor pass for a match`() async throws {
        let evil = #"\u001b]52;c;AA\u0007\u001b[2J\u009b31m\u202e\u0001 7\u0002 train \u0001 7\u0003"#
        let (service, sandbox) = try await Self.synced(#"[{"id":"\#(evil)","title":"\#(evil)"}]"#)
        let plain = try await sandbox.siding("search", "items", "train")
        #expect(plain.lines.count == 1 && !plain.hasControlCharacters, "\(plain.everything.debugDescription)")
        let shown = try await sandbox.run(
            "/usr/bin/script", ["-qec", "\(try SidingBinary.path()) search items train", "/dev/null"]
        ).output
        let rest = shown.replacing("\u{1B}[1mtrain\u{1B}[0m", with: "").replacing("\r\n", with: "")
        #expect(shown != rest && rest.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(shown.debugDescription)")
        #expect(!rest.unicodeScalars.contains { (0x7F...0x9F).contains($0.value) || $0 == "\u{202E}" })
        let snippet = try await sandbox.siding("search", "items", "train", "--json").object()["snippet"]?.array ?? []
        #expect(snippet.filter { $0["match"] == .bool(true) }.map { $0["text"] } == [.string("train")])
        await service.origin.stop()
    }
}
