// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import Dispatch
import SidingSynchronization
import Testing

@testable import SidingPostgreSQL

struct PostgreSQLTransactionTests {
    private let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer.shared.get()
    }

    private struct Stop: Error {}

    /// A new table with one integer column, and the connection that made it.
    private func table(_ name: String) async throws -> PostgreSQLConnection {
        let connection = try await server.open()
        try await connection.query("CREATE TABLE \(name)(a int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)")
        return connection
    }

    @Test func `a statement that sends much has more time`() async throws {
        let connection = try await server.open { $0.statementTimeout = .seconds(20) }
        let show = "SHOW statement_timeout"
        #expect(try await connection.transaction(sending: 80_000) { try $0.query(show)[0, 0] } == "30s")
        #expect(try await connection.transaction { try $0.query(show)[0, 0] } == "20s")
        #expect(try await connection.query(show)[0, 0] == "0")
    }

    @Test func `a transaction commits what its body did, and returns its value`() async throws {
        let connection = try await table("committed")
        let count = try await connection.transaction { transaction in
            try transaction.query("INSERT INTO committed VALUES (1), (2)").affectedRows
        }
        #expect(count == 2)
        #expect(try await server.open().query("SELECT * FROM committed").rows == [["1"], ["2"]])
    }

    @Test func `a body that throws rolls back, and its error is passed on`() async throws {
        let connection = try await table("rolled_back")
        await #expect(throws: Stop.self) {
            try await connection.transaction { transaction in
                try transaction.query("INSERT INTO rolled_back VALUES (1)")
                throw Stop()
            }
        }
        #expect(try await connection.query("SELECT * FROM rolled_back").rows == [])
    }

    @Test func `limits hold in the transaction alone`() async throws {
        let connection = try await server.open { $0.statementTimeout = .milliseconds(1_500) }
        let sql = """
            SELECT current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('idle_in_transaction_session_timeout')
            """
        let inside = try await connection.transaction { try $0.query(sql).rows }
        #expect(inside == [["1500ms", "10s", "1min"]])
        #expect(try await connection.query(sql).rows == [["0", "0", "0"]])
    }

    @Test func `the server's limit for a statement is transient, and nothing is in doubt`() async throws {
        let connection = try await server.open { $0.statementTimeout = .milliseconds(50) }
        let error = await failure { try await connection.transaction { _ = try $0.query("SELECT pg_sleep(60)") } }
        #expect(error?.kind == .refused)
        #expect(error?.sqlState == "57014")
        #expect(error?.isTransient == true)
        #expect(error?.isCommitInDoubt == false)
        #expect(try await connection.query("SELECT 1").rows == [["1"]])
    }

    @Test func `a transaction with a failed statement cannot be committed`() async throws {
        let connection = try await table("failed")
        let error = await failure {
            try await connection.transaction { transaction in
                try transaction.query("INSERT INTO failed VALUES (1)")
                _ = try? transaction.query("SELECT 1 / 0")
            }
        }
        #expect(error?.kind == .refused)
        #expect(error?.sqlState == "25P02")
        #expect(error?.isCommitInDoubt == false)
        #expect(try await connection.query("SELECT * FROM failed").rows == [])
    }

    @Test func `a body must not end the transaction itself`() async throws {
        let connection = try await server.open()
        let error = await failure { try await connection.transaction { _ = try $0.query("ROLLBACK") } }
        #expect(error?.sqlState == "25P01")
    }

    @Test func `a constraint that fails at COMMIT leaves no doubt`() async throws {
        let connection = try await table("deferred")
        let error = await failure {
            try await connection.transaction { _ = try $0.query("INSERT INTO deferred VALUES (1), (1)") }
        }
        #expect(error?.sqlState == "23505")
        #expect(error?.kind == .refused)
        #expect(error?.isCommitInDoubt == false)
        #expect(try await connection.query("SELECT * FROM deferred").rows == [])
    }

    @Test func `a serialization failure is transient`() async throws {
        let first = try await table("serialized")
        let second = try await server.open()
        try await first.query("INSERT INTO serialized VALUES (1)")
        try await first.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try await first.query("SELECT * FROM serialized")
        try await second.query("UPDATE serialized SET a = 2")
        let error = await failure { try await first.query("UPDATE serialized SET a = 3") }
        #expect(error?.sqlState == "40001")
        #expect(error?.isTransient == true)
    }

    // MARK: COMMIT

    @Test func `a connection that broke before COMMIT leaves no doubt`() async throws {
        let connection = try await table("ended")
        let other = try await server.open()
        let error = await failure {
            try await connection.transaction { transaction in
                let process = try transaction.query("INSERT INTO ended VALUES (1) RETURNING pg_backend_pid()")[0, 0]
                // The body blocks the connection's queue alone.
                let done = DispatchSemaphore(value: 0)
                Task.detached {
                    _ = try? await other.query("SELECT pg_terminate_backend($1::int, 10000)", [.text(process ?? "")])
                    done.signal()
                }
                done.wait()
            }
        }
        #expect(error?.kind == .lost)
        #expect(error?.isCommitInDoubt == false)
        #expect(try await other.query("SELECT * FROM ended").rows == [])
    }

    @Test(arguments: [CommitProxy.Break.beforeServer, .afterServer])
    func `a connection that breaks at COMMIT leaves its outcome in doubt`(moment: CommitProxy.Break) async throws {
        let name = "doubtful_\(moment)"
        let other = try await table(name)
        let proxy = try CommitProxy(to: server.directory, breaks: moment)
        let connection = try await server.open { $0.address = "host=\(proxy.directory) user=siding dbname=postgres" }
        let error = await failure {
            try await connection.transaction { _ = try $0.query("INSERT INTO \(name) VALUES (1)") }
        }
        #expect(error?.kind == .lost)
        #expect(error?.isCommitInDoubt == true)
        #expect(error?.description.contains("unknown whether") == true)
        let rows = try await other.query("SELECT * FROM \(name)").rows
        #expect(rows == (moment == .afterServer ? [["1"]] : []))
    }

    @Test func `a task that is cancelled at COMMIT waits a little longer, and then is in doubt`() async throws {
        let proxy = try CommitProxy(to: server.directory, breaks: .never)
        let connection = try await server.open {
            $0.address = "host=\(proxy.directory) user=siding dbname=postgres"
            $0.commitGrace = .milliseconds(50)
        }
        let call = Task { await failure { try await connection.transaction { _ = try $0.query("SELECT 1") } } }
        await proxy.sawCommit.value()
        call.cancel()
        let error = await call.value
        #expect(error?.kind == .cancelled)
        #expect(error?.isCommitInDoubt == true)
    }

    @Test func `a task that is cancelled in the body commits nothing`() async throws {
        let connection = try await table("abandoned")
        let call = Task {
            await failure {
                try await connection.transaction { transaction in
                    try transaction.query("INSERT INTO abandoned VALUES (1)")
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
        }
        let error = await call.value
        #expect(error?.kind == .cancelled)
        #expect(error?.isCommitInDoubt == false)
        #expect(try await server.open().query("SELECT * FROM abandoned").rows == [])
    }
}
