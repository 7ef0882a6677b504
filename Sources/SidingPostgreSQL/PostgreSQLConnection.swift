// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// A connection to a PostgreSQL server, or to one that speaks its protocol. Calls run one after the other on its own queue.
///
/// A call whose task is cancelled ends at once with an error of kind `cancelled`, and so does one without an answer in time with
/// `timedOut`; both close the connection, and the server rolls back. It may work on the statement until its own
/// `statement_timeout`. A closed connection is not opened again: open another one.
/// ```swift
/// let connection = try await PostgreSQLConnection.open(PostgreSQLSettings(address: "postgresql://hub.example.com/fleet"))
/// try await connection.transaction { transaction in
///     try transaction.query("INSERT INTO readings SELECT * FROM unnest($1::bigint[], $2::text[])", [.integers(keys), .texts(bodies)])
/// }
/// ```
package actor PostgreSQLConnection {
    /// A thread of its own: libpq and poll(2) block, and the threads of Swift's pool must not.
    private nonisolated let executor = SerialWorker(label: "siding.postgresql")
    private nonisolated let wakeUp: WakeUp
    private var session: PostgreSQLSession?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Connects and signs in.
    ///
    /// - Throws: ``PostgreSQLError``: `libraryMissing`, `invalidAddress`, `unreachable`, `signIn`, `refused` (no such database,
    ///   too many connections), `timedOut`, `cancelled`.
    package static func open(_ settings: PostgreSQLSettings) async throws(PostgreSQLError) -> PostgreSQLConnection {
        try await open(settings, library: PostgreSQLLibrary.defaultName)
    }

    static func open(
        _ settings: PostgreSQLSettings, library: String
    ) async throws(PostgreSQLError) -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection()
        let outcome = Promise<Result<PostgreSQLConnection, PostgreSQLError>>()
        // Nothing stops the lookup of a name, so it is left behind when the time is over: a connection that it still makes is
        // closed with the last reference to the actor.
        let attempt = Task {
            do throws(PostgreSQLError) {
                try await connection.connect(settings, library)
                outcome.resolve(.success(connection))
            } catch {
                outcome.resolve(.failure(error))
            }
        }
        let clock = Task {
            // The attempt has the same limit and says more.
            try await Task.sleep(for: settings.connectTimeout + .milliseconds(250))
            outcome.resolve(.failure(PostgreSQLError(.timedOut, "the server's name was not found in time")))
            attempt.cancel()
        }
        defer { clock.cancel() }
        let cancelled = PostgreSQLError(.cancelled, "the task was cancelled")
        return try await outcome.value(orWhenCancelled: .failure(cancelled)) { attempt.cancel() }.get()
    }

    private init() throws(PostgreSQLError) {
        wakeUp = try WakeUp()
    }

    private func connect(_ settings: PostgreSQLSettings, _ library: String) async throws(PostgreSQLError) {
        let wakeUp = wakeUp
        session = try await interruptible { () throws(PostgreSQLError) in
            try PostgreSQLSession(settings, try PostgreSQLLibrary.load(library), wakeUp)
        }
    }

    /// Whether the connection can be used, as far as is known without asking the server.
    package var isOpen: Bool { session?.isOpen ?? false }

    /// Whether the connection is encrypted.
    package var hasTLS: Bool { session?.hasTLS ?? false }

    /// The version of libpq: `15.7`.
    package var libraryVersion: String {
        let number = session?.library.PQlibVersion() ?? 0
        return "\(number / 10_000).\(number % 10_000)"
    }

    /// Closes the connection; later calls throw. The last reference going away closes it too.
    package func close() {
        session?.close()
    }

    /// Runs one statement with its parameters `$1`, `$2` …, outside a transaction.
    ///
    /// - Throws: ``PostgreSQLError``. If it is `lost`, `timedOut` or `cancelled`, the server may have run the statement.
    @discardableResult package func query(
        _ sql: String, _ parameters: [PostgreSQLValue] = []
    ) async throws(PostgreSQLError) -> PostgreSQLResult {
        let session = try openSession()
        return try await interruptible { () throws(PostgreSQLError) in try session.query(sql, parameters) }
    }

    /// Sends rows to a `COPY … FROM STDIN`, as fast as the server takes them, and all or none.
    ///
    /// - Parameter next: the next bytes in COPY's text format; nil after the last. It runs on the connection's queue.
    /// - Returns: the number of copied rows.
    /// - Throws: the error of `next`; ``PostgreSQLError``.
    @discardableResult package func copyIn(
        _ sql: String, _ next: sending () throws -> [UInt8]?
    ) async throws -> Int {
        let session = try openSession()
        return try await interruptible { try session.copyIn(sql, next) }
    }

    /// Runs one transaction: all of it is committed, or nothing. `body` is synchronous, so that the transaction waits for the server
    /// alone; it runs on the connection's queue.
    ///
    /// The server ends it after `statementTimeout` for a statement, with a second more for each 8 kB of `bytes`, and after its
    /// limits for a lock and for being idle.
    ///
    /// - Parameter bytes: about how many one statement sends.
    /// - Throws: what `body` throws, after ROLLBACK; ``PostgreSQLError``. If that is ``PostgreSQLError/isCommitInDoubt``,
    ///   everything or nothing was committed; in all other cases, nothing.
    package func transaction<Value: Sendable>(
        sending bytes: Int = 0, _ body: sending (borrowing PostgreSQLTransaction) throws -> Value
    ) async throws -> Value {
        let session = try openSession()
        return try await interruptible { try session.transaction(sending: bytes, body) }
    }

    private func openSession() throws(PostgreSQLError) -> PostgreSQLSession {
        guard let session, session.isOpen else { throw .closed }
        return session
    }

    /// Runs `work`, whose waits end when the task is cancelled.
    private func interruptible<Value, Failure: Error>(
        _ work: () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let wakeUp = wakeUp
        return try await withTaskCancellationHandler {
            // A closure that did not call the actor would leave its executor, and block a thread of Swift's pool.
            result(of: work)
        } onCancel: {
            wakeUp.signal()
        }.get()
    }

    private func result<Value, Failure: Error>(of work: () throws(Failure) -> Value) -> Result<Value, Failure> {
        do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
    }
}
