// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingSynchronization
import Testing

@testable import SidingPostgreSQL

struct PostgreSQLCopyingTests {
    private let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer.shared.get()
    }

    private struct Stop: Error {}

    @Test func `100,000 rows are copied in a transaction`() async throws {
        let connection = try await server.open()
        let (copied, rows) = try await connection.transaction { transaction in
            try transaction.query("CREATE TEMP TABLE copied(a int, b text) ON COMMIT DROP")
            let copied = try transaction.copyIn("COPY copied FROM STDIN", RowChunks(100_000).next)
            return (copied, try transaction.query("SELECT count(*), sum(a), min(length(b)) FROM copied").rows)
        }
        #expect(copied == 100_000)
        #expect(rows == [["100000", "4999950000", "100"]])
    }

    @Test func `a row that does not fit refuses all rows, and the connection stays`() async throws {
        let connection = try await server.open()
        try await connection.query("CREATE TEMP TABLE t(a int)")
        let chunks = Mutex<[[UInt8]]>([Array("1\nsecret\n".utf8), Array("2\n".utf8)])
        let error = await failure {
            try await connection.copyIn("COPY t FROM STDIN") {
                chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            }
        }
        #expect(error?.sqlState == "22P02")
        #expect(error?.description.contains("secret") == false)
        #expect(try await connection.query("SELECT * FROM t").rows == [])
    }

    @Test func `a source that throws refuses all rows, and its error is passed on`() async throws {
        let connection = try await server.open()
        try await connection.query("CREATE TEMP TABLE t(a int, b text)")
        let chunks = RowChunks(3_000)
        await #expect(throws: Stop.self) {
            try await connection.copyIn("COPY t FROM STDIN") {
                guard chunks.taken < 3 else { throw Stop() }
                return chunks.next()
            }
        }
        #expect(try await connection.query("SELECT * FROM t").rows == [])
    }

    @Test func `a statement that takes no rows is refused, and the connection stays`() async throws {
        let connection = try await server.open()
        #expect(await failure { try await connection.copyIn("SELECT 1") { nil } }?.kind == .refused)
        #expect(await failure { try await connection.copyIn("COPY nothing FROM STDIN") { nil } }?.sqlState == "42P01")
        #expect(try await connection.query("SELECT 1").rows == [["1"]])
    }

    @Test func `a source is not read ahead of a server that does not read`() async throws {
        let connection = try await server.open {
            $0.statementTimeout = .milliseconds(100)
            $0.answerMargin = .milliseconds(100)
        }
        let other = try await server.open()
        try await other.query("CREATE TABLE locked(a int, b text)")
        let chunks = RowChunks(.max)
        let isLate = await failure {
            // A row that the server works on for long: it reads no others meanwhile.
            try await connection.query(
                "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END'"
            )
            try await connection.query(
                "CREATE TRIGGER slow BEFORE INSERT ON locked FOR EACH ROW EXECUTE FUNCTION slow()")
            return try await connection.copyIn("COPY locked FROM STDIN") { chunks.next() }
        }
        #expect(isLate?.kind == .timedOut)
        // What fits into the buffers of the socket, in chunks of 64 KiB.
        #expect(chunks.taken < 30)
        try await other.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY locked%'")
    }
}
