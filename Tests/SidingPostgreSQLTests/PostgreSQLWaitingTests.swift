// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import Dispatch
import Foundation
import SidingSynchronization
import Testing

@testable import SidingPostgreSQL

struct PostgreSQLWaitingTests {
    private let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer.shared.get()
    }

    @Test func `a cancelled query ends soon and closes the connection`() async throws {
        let connection = try await server.open { $0.address += " application_name=cancelled_query" }
        let other = try await server.open()
        let call = Task { await failure { try await connection.query("SELECT pg_sleep(60)") } }
        let running =
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'cancelled_query' AND wait_event = 'PgSleep'"
        while try await other.query(running).rowCount == 0 {}
        let start = ContinuousClock.now
        call.cancel()
        #expect(await call.value == PostgreSQLError(.cancelled, "the task was cancelled"))
        #expect(.now - start < .seconds(5))
        #expect(await !connection.isOpen)
    }

    @Test func `a call of a cancelled task is not made`() async throws {
        let connection = try await server.open()
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { try await connection.query("SELECT 1") }
        }
        #expect(await call.value?.kind == .cancelled)
    }

    @Test func `a cancellation that comes after the answer does not touch the next call`() async throws {
        let connection = try await server.open()
        for _ in 0..<20 {
            let call = Task { try await connection.query("SELECT 1").rows }
            #expect(try await call.value == [["1"]])
            call.cancel()
            #expect(try await connection.query("SELECT 2").rows == [["2"]])
        }
    }

    @Test func `a server that does not answer is given up after the limit and the margin`() async throws {
        let connection = try await server.open {
            $0.statementTimeout = .milliseconds(50)
            $0.answerMargin = .milliseconds(50)
        }
        let error = await failure { try await connection.query("SELECT pg_sleep(60)") }
        #expect(error == PostgreSQLError(.timedOut, "the server did not answer in time"))
        #expect(await !connection.isOpen)
    }

    @Test func `notices are dropped`() async throws {
        let connection = try await server.open()
        try await connection.query("DO $$ BEGIN FOR n IN 1..20000 LOOP RAISE NOTICE 'noise %', n; END LOOP; END $$")
        #expect(try await connection.query("SELECT 1").rows == [["1"]])
    }

    @Test func `calls from many tasks take turns`() async throws {
        let connection = try await server.open()
        try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<50 {
                group.addTask { try await connection.query("SELECT $1::text", [.integer(Int64(number))])[0, 0] }
            }
            var answers: Set<String?> = []
            for try await answer in group { answers.insert(answer) }
            #expect(answers.count == 50)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `connections that wait block no thread of Swift's pool`() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount * 2 + 1
        let arrivals = DispatchGroup()
        for _ in 0..<count { arrivals.enter() }
        try await withThrowingTaskGroup { group in
            for _ in 0..<count {
                group.addTask {
                    try await server.open().transaction { _ in
                        // Each body waits until all have begun.
                        arrivals.leave()
                        arrivals.wait()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
