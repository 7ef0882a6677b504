// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingSynchronization
import Testing

@testable import SidingPostgreSQL

struct PostgreSQLQueryTests {
    private let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer.shared.get()
    }

    static let texts: [String?] = [
        "", "plain", "NULL", "null", nil, "a\"b", "a\\b", "\\\"", "{}", "{a,b}", "a,b", " space ", "tab\tline\n",
        "'quote'", "ü",
        "日本", "👩‍👩‍👧", "\u{1}", "\\", "\"",
    ]

    @Test func `values of all types come back in text form, and NULL as nil`() async throws {
        let connection = try await server.open()
        let result = try await connection.query(
            """
            SELECT $1::text AS name, $2::bigint AS size, $3::int, true AS yes, 1.50::numeric AS price,
                '{"a": 1}'::json AS body, '\\x00ff'::bytea AS bytes, ARRAY[1, NULL] AS numbers
            """, [.text("Zoë \"x\" \\"), .integer(.min), .null])
        #expect(result.columns == ["name", "size", "int4", "yes", "price", "body", "bytes", "numbers"])
        #expect(
            result.rows == [
                ["Zoë \"x\" \\", "-9223372036854775808", nil, "t", "1.50", "{\"a\": 1}", "\\x00ff", "{1,NULL}"]
            ])
        #expect(result[0, 1] == "-9223372036854775808")
        #expect(result.affectedRows == 1)
    }

    @Test func `arrays of text keep quotes, backslashes, braces, NULL and empty text`() async throws {
        let connection = try await server.open()
        let result = try await connection.query(
            "SELECT value FROM unnest($1::text[]) WITH ORDINALITY AS t(value, place) ORDER BY place",
            [.texts(Self.texts)])
        #expect(result.rows.map { $0[0] } == Self.texts)
    }

    @Test func `arrays of integers, empty arrays, and rows of several arrays`() async throws {
        let connection = try await server.open()
        let result = try await connection.query(
            "SELECT * FROM unnest($1::bigint[], $2::text[])", [.integers([1, nil, .max]), .texts(["a", "b", nil])])
        #expect(result.rows == [["1", "a"], [nil, "b"], ["9223372036854775807", nil]])
        let empty = try await connection.query("SELECT * FROM unnest($1::bigint[])", [.integers([])])
        #expect(empty.rows == [])
        #expect(empty.columns == ["unnest"])
    }

    @Test func `text with NUL is refused before it is sent`() async throws {
        let connection = try await server.open()
        for value in [PostgreSQLValue.text("a\0b"), .texts(["a", "\0"])] {
            let error = await failure { try await connection.query("SELECT $1", [value]) }
            #expect(error?.kind == .refused)
            #expect(error?.sqlState == "22021")
        }
        #expect(try await connection.query("SELECT 1").rows == [["1"]])
    }

    @Test func `the number of changed rows is that of the server`() async throws {
        let connection = try await server.open()
        #expect(try await connection.query("CREATE TEMP TABLE t(a int)").affectedRows == 0)
        #expect(try await connection.query("INSERT INTO t SELECT generate_series(1, 7)").affectedRows == 7)
        #expect(try await connection.query("UPDATE t SET a = 0 WHERE a < 4").affectedRows == 3)
        #expect(try await connection.query("DELETE FROM t WHERE a = 9").affectedRows == 0)
        #expect(try await connection.query("").affectedRows == 0)
    }

    @Test func `a refused statement has its SQLSTATE, one line without the value, and the connection stays`()
        async throws
    {
        let connection = try await server.open()
        let syntax = await failure { try await connection.query("SELEC 1") }
        #expect(syntax == PostgreSQLError(.refused, "syntax error at or near \"SELEC\"", sqlState: "42601"))
        #expect(syntax?.isTransient == false)
        let value = await failure { try await connection.query("SELECT $1::int", [.text("se\"cret")]) }
        #expect(value?.sqlState == "22P02")
        #expect(value?.message == "invalid input syntax for type integer: \"…\"")
        #expect(value?.isCommitInDoubt == false)
        #expect(await connection.isOpen)
    }

    @Test func `a query that copies is refused, and closes the connection`() async throws {
        let connection = try await server.open()
        let error = await failure { try await connection.query("COPY (SELECT 1) TO STDOUT") }
        #expect(error?.kind == .refused)
        #expect(await !connection.isOpen)
        #expect(await failure { try await connection.query("SELECT 1") }?.kind == .lost)
    }

    @Test func `a closed connection is lost, also one that the server closed`() async throws {
        let connection = try await server.open()
        await connection.close()
        #expect(await failure { try await connection.query("SELECT 1") }?.kind == .lost)
        let ended = try await server.open()
        let error = await failure { try await ended.query("SELECT pg_terminate_backend(pg_backend_pid())") }
        #expect(error?.kind == .lost)
        #expect(error?.sqlState == "57P01")
        #expect(error?.isTransient == true)
        #expect(await !ended.isOpen)
    }

    @Test func `many rows and long values arrive whole`() async throws {
        let connection = try await server.open()
        let long = String(repeating: "ä", count: 2_000_000)
        let result = try await connection.query(
            "SELECT n, CASE WHEN n = 5 THEN $1 END FROM generate_series(1, 20000) AS n", [.text(long)])
        #expect(result.rowCount == 20_000)
        #expect(result[4, 1] == long)
        #expect(result[19_999, 0] == "20000")
    }
}
