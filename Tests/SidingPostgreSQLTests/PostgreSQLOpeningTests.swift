// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import Foundation
import SidingSynchronization
import Testing

@testable import SidingPostgreSQL

struct PostgreSQLOpeningTests {
    private let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer.shared.get()
    }

    @Test func `without libpq the error names the package to install`() async {
        let error = await failure { try await PostgreSQLConnection.open(server.settings(), library: "libpq.so.404") }
        #expect(error?.kind == .libraryMissing)
        #expect(error?.message.hasPrefix("libpq.so.404 could not be loaded: libpq.so.404: cannot open") == true)
        #expect(error?.hint == "Install the Debian package libpq5.")
        // A library without libpq's functions.
        let other = await failure { try await PostgreSQLConnection.open(server.settings(), library: "libm.so.6") }
        #expect(other?.kind == .libraryMissing)
    }

    @Test func `the session is UTF-8 and has the application's name, unless the address has one`() async throws {
        let sql = "SELECT current_setting('application_name'), current_setting('client_encoding')"
        let connection = try await server.open()
        #expect(try await connection.query(sql).rows == [["siding/test", "UTF8"]])
        let named = try await server.open { $0.address += " application_name=mine client_encoding=LATIN1" }
        #expect(try await named.query(sql).rows == [["mine", "UTF8"]])
    }

    @Test func `a right password signs in, from the settings or the address`() async throws {
        let password = PostgreSQLServer.guardedPassword
        var settings = server.settings(user: PostgreSQLServer.guardedRole, password: password)
        let connection = try await PostgreSQLConnection.open(settings)
        #expect(try await connection.query("SELECT current_user").rows == [["guarded"]])
        settings.password = nil
        let folder = server.directory.replacing("/", with: "%2F")
        settings.address = "postgresql://\(PostgreSQLServer.guardedRole):\(password)@\(folder)/postgres"
        #expect(await failure { try await PostgreSQLConnection.open(settings) } == nil)
        settings.address += "?connect_timeout=5"
        settings.password = "not this one"
        #expect(await failure { try await PostgreSQLConnection.open(settings) }?.kind == .signIn)
    }

    @Test func `a wrong or missing password is a failed sign-in, and no error shows it`() async {
        let role = PostgreSQLServer.guardedRole
        let wrong = await failure {
            try await PostgreSQLConnection.open(server.settings(user: role, password: "hunter2 hunter2"))
        }
        #expect(wrong?.kind == .signIn)
        #expect(wrong?.sqlState == "28P01")
        #expect(wrong?.message.hasSuffix("failed: FATAL: password authentication failed for user \"guarded\"") == true)
        #expect(wrong?.description.contains("hunter2") == false)
        #expect(wrong?.isTransient == false)
        let missing = await failure { try await PostgreSQLConnection.open(server.settings(user: role)) }
        #expect(missing == PostgreSQLError(.signIn, "the server asks for a password, and there is none"))
        let nobody = await failure { try await PostgreSQLConnection.open(server.settings(user: "stranger")) }
        #expect(nobody?.sqlState == "28000")
        #expect(nobody?.kind == .signIn)
    }

    @Test func `a missing database is refused`() async {
        let error = await failure { try await server.open { $0.address += " dbname=nowhere" } }
        #expect(error?.kind == .refused)
        #expect(error?.sqlState == "3D000")
    }

    @Test func `a stopped server is unreachable, and an open connection to it is lost`() async throws {
        let server = try PostgreSQLServer()
        let connection = try await server.open()
        server.stop()
        #expect(await failure { try await connection.query("SELECT 1") }?.kind == .lost)
        let error = await failure { try await server.open() }
        #expect(error?.kind == .unreachable)
        #expect(error?.isTransient == true)
        #expect(
            error?.message == """
                connection to server on socket "\(server.directory)/.s.PGSQL.5432" failed: No such file or directory
                """)
    }

    @Test func `a server that accepts and never answers is given up after the timeout`() async throws {
        let scratch = try CommitProxy(to: server.directory, breaks: .never)
        unlink(scratch.directory + "/.s.PGSQL.5432")
        let listener = try UnixSocket.listen(in: scratch.directory)
        defer { close(listener) }
        let start = ContinuousClock.now
        let error = await failure {
            try await server.open {
                $0.address = "host=\(scratch.directory)"
                $0.connectTimeout = .milliseconds(200)
            }
        }
        #expect(error == PostgreSQLError(.timedOut, "the server did not answer in time"))
        #expect(error?.isTransient == true)
        #expect(.now - start >= .milliseconds(200))
        #expect(.now - start < .seconds(5))
    }

    @Test func `opening ends when the task is cancelled`() async throws {
        let scratch = try CommitProxy(to: server.directory, breaks: .never)
        unlink(scratch.directory + "/.s.PGSQL.5432")
        let listener = try UnixSocket.listen(in: scratch.directory)
        let address = "host=\(scratch.directory)"
        let opening = Task { await failure { try await server.open { $0.address = address } } }
        // The first bytes of the client are there: it waits for an answer.
        let client = accept(listener, nil, nil)
        #expect(try FileSystem.readSome(1, from: client).count == 1)
        opening.cancel()
        #expect(await opening.value == PostgreSQLError(.cancelled, "the task was cancelled"))
        // The client closes its end.
        #expect(try FileSystem.readAll(from: client, upTo: 10_000) != nil)
        close(client)
        close(listener)
    }
}
