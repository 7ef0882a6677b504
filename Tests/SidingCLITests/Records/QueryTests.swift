// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized)
struct QueryTests {
    private func synced() async throws -> (Service, Sandbox) {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        return (service, sandbox)
    }

    @Test func `each resource is a view under its own name`() async throws {
        let (_, sandbox) = try await synced()
        let rows = try await sandbox.siding("query", "select id, title from items order by id limit 2", "--json")
        #expect(rows.output == #"{"id":1,"title":"item 1"}"# + "\n" + #"{"id":2,"title":"item 2"}"# + "\n")
        let plain = try await sandbox.siding("query", "select id, title from items order by id limit 1")
        #expect(plain.output == "id\ttitle\n1\titem 1\n")
        let shell = try await sandbox.sqlite(sandbox.file("test.db"), "select title from items where id = 7")
        #expect(shell.output == "item 7\n")
    }

    @Test(
        arguments: [
            "DELETE FROM siding_records_items", "DROP VIEW items", "UPDATE siding_records_items SET body = '{}'",
            "INSERT INTO siding_runs (command, owner, started_at) VALUES ('a', 'b', 1)", "CREATE TABLE t (a)",
            "CREATE TEMP TABLE t (a)", "ATTACH 'other.db' AS other", "DETACH main", "PRAGMA user_version",
            "PRAGMA journal_mode = DELETE", "VACUUM", "VACUUM INTO 'copy.db'", "BEGIN IMMEDIATE", "ANALYZE", "REINDEX",
            "SELECT 1; SELECT 2", "SELECT 1; DROP VIEW items", "SELECT load_extension('/usr/lib/x.so')", "SELECT", "",
            "SELECT writefile('out.txt', 'x')", "SELECT fts3_tokenizer('simple')", "SELECT readfile('/etc/hostname')",
            "SELECT * FROM pragma_database_list", "SELECT * FROM absent",
            "WITH x AS (SELECT 1) DELETE FROM siding_runs",
        ])
    func `everything but one reading statement is refused with 64, and nothing changes`(sql: String) async throws {
        let (_, sandbox) = try await synced()
        let before = try contents(sandbox)
        let words = try await sandbox.siding("query", sql)
        #expect(words.status == 64)
        #expect(words.output == "")
        #expect(words.error.hasPrefix("siding: "))
        let object = try await sandbox.siding("query", sql, "--json")
        #expect(object.status == 64)
        #expect(try object.object()["error"]?["code"] == .number(64))
        #expect(try contents(sandbox) == before)
    }

    @Test func `an endless statement is stopped at its time limit with exit 1`() async throws {
        let (_, sandbox) = try await synced()
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let began = ContinuousClock.now
        let outcome = try await sandbox.siding("query", endless, "--timeout", "2s")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.error.contains("2"))
        #expect(ContinuousClock.now - began < .seconds(10))
        let huge = try await sandbox.siding("query", "SELECT length(zeroblob(2000000000))", "--timeout", "2s")
        #expect(huge.status != 0)
    }

    @Test func `a statement ends on time even inside one call of a function`() async throws {
        let (_, sandbox) = try await synced()
        let call = "printf('%.*c', 2000000000, 'x')"
        let outcome = try await sandbox.siding("query", "SELECT \(call) || \(call)", "--timeout", "200ms", "--json")
        #expect(outcome.status == 1)
        #expect(try outcome.object()["error"]?["message"]?.string?.contains("0.2 seconds") == true, "\(outcome.output)")
    }

    @Test func `the content of a remote record cannot steer the terminal`() async throws {
        let evil = "\u{1B}]52;c;ZWNobyBwd25lZA==\u{07}\u{1B}[2J\u{9B}31m\u{202E}gnp.exe\u{2066}\u{0}\r\u{7F}"
        let escaped = evil.unicodeScalars.map {
            let code = String($0.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - code.count) + code
        }.joined()
        let service = try await Service.start(items: 0)
        let sandbox = try Sandbox.with(service, resource: "paginate: none")
        service.listen { _, _ in
            .json(
                #"[{"id":"\#(escaped.replacing("\\u0000", with: ""))","title":"\#(escaped)","raw":"\#(evil.filter { $0 > "\u{7E}" })"}]"#
            )
        }
        let sync = try await sandbox.siding("sync", "-vvv")
        #expect(sync.status == 0)
        #expect(!sync.hasControlCharacters)
        for command in [
            ["records", "list", "items"], ["records", "count"], ["status"], ["runs", "show", "1"],
            ["records", "get", "items", "\u{1B}[2J"], ["sync", "\u{1B}[2J"], ["queue", "show", "\u{1B}[2J"],
            ["query", "select '\u{1B}[2J' from \u{1B}[2J"], ["runs", "show", "\u{1B}[2J"],
            ["records", "list", "\u{1B}[2J"], ["--\u{1B}[2J"],
        ] {
            let outcome = try await sandbox.siding(command)
            #expect(!outcome.hasControlCharacters, "\(command): \(outcome.everything.debugDescription)")
        }
        await service.origin.stop()
    }

    @Test func `an origin's answers and links cannot steer the terminal through errors and the queue`() async throws {
        let service = try await Service.start(items: 0)
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 0 }")
        let evil = "\u{1B}[2J\u{9B}31m\u{202E}"
        service.listen { number, _ in
            if number == 1 {
                return .json(#"{"items":[{"id":1}],"next":"\#(service.url)/items?page=\#(evil)\u001b[2J"}"#)
            }
            return .json("\(evil)not json", status: .internalServerError)
        }
        let sync = try await sandbox.siding("sync", "-vvv")
        #expect(sync.status != 0)
        #expect(!sync.hasControlCharacters, "\(sync.error.debugDescription)")
        service.listen { _, _ in
            OriginResponse(
                headerFields: [.contentType: "text/\u{9B}31m"], body: Array("[{\"id\":1,\"\(evil)\":\(evil)}]".utf8))
        }
        let broken = try await sandbox.siding("sync", "--full", "-vvv")
        #expect(broken.status == 65)
        #expect(!broken.hasControlCharacters, "\(broken.error.debugDescription)")
        for command in [
            ["queue", "list"], ["runs", "list"], ["runs", "show", "1"], ["runs", "show", "2"], ["doctor"],
        ] {
            let outcome = try await sandbox.siding(command)
            #expect(!outcome.hasControlCharacters, "\(command): \(outcome.everything.debugDescription)")
        }
        await service.origin.stop()
    }

    /// Names and bytes of everything in the sandbox but SQLite's shared memory, which readers mark.
    private func contents(_ sandbox: Sandbox) throws -> [String: Data] {
        try FileManager.default.subpathsOfDirectory(atPath: sandbox.path).filter { !$0.hasSuffix("-shm") }
            .reduce(into: [:]) { contents, name in
                contents[name] = FileManager.default.contents(atPath: sandbox.file(name)) ?? Data()
            }
    }
}
