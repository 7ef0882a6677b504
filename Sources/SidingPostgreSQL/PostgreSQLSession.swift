// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// One connection of libpq. Its calls block, so they run on the queue of ``PostgreSQLConnection``; a cancelled task or a passed
/// deadline ends them and closes the connection.
///
/// Source: PostgreSQL's documentation, "Asynchronous Command Processing".
final class PostgreSQLSession {
    let library: PostgreSQLLibrary
    let settings: PostgreSQLSettings
    private let secrets: [String]
    private let wakeUp: WakeUp
    private var connection: PostgreSQLLibrary.Connection?
    /// The limit for a statement of the transaction that is under way.
    var statementLimit: Duration

    /// Looks up the server, connects, and signs in.
    ///
    /// - Parameter wakeUp: what a cancelled task signals.
    init(
        _ settings: PostgreSQLSettings, _ library: PostgreSQLLibrary, _ wakeUp: WakeUp
    ) throws(PostgreSQLError) {
        let patience = Patience(settings.connectTimeout)
        let address = try PostgreSQLAddress(settings, library)
        self.library = library
        self.settings = settings
        statementLimit = settings.statementTimeout
        self.wakeUp = wakeUp
        secrets = address.secrets
        guard let connection = library.startConnection(address.parameters) else {
            throw PostgreSQLError(.unreachable, "out of memory")
        }
        self.connection = connection
        // The default prints notices to stderr.
        _ = library.PQsetNoticeProcessor(connection, { _, _ in }, nil)
        // No result carries the SQLSTATE of a refused connection; only the verbose text has it.
        _ = library.PQsetErrorVerbosity(connection, PostgreSQLCode.verbose)
        guard try poll(connection, patience) else {
            defer { close() }
            throw .connecting(
                library.errorMessage(connection), secrets: secrets,
                needsPassword: library.PQconnectionNeedsPassword(connection) != 0,
                hasStrictTLS: address.addsStrictTLS)
        }
        _ = library.PQsetErrorVerbosity(connection, PostgreSQLCode.defaultVerbosity)
        guard library.PQsetnonblocking(connection, 1) == 0 else { throw PostgreSQLError(.unreachable, "out of memory") }
    }

    deinit { close() }

    /// Whether the connection can be used, as far as is known without asking the server.
    var isOpen: Bool { connection != nil }

    var hasTLS: Bool { connection.map { library.PQsslInUse($0) != 0 } ?? false }

    /// Closes the connection; the server then rolls back.
    func close() {
        if let connection { library.PQfinish(connection) }
        connection = nil
    }

    func openConnection() throws(PostgreSQLError) -> PostgreSQLLibrary.Connection {
        guard let connection else { throw .closed }
        return connection
    }

    /// Whether the connection is made; false if it failed.
    private func poll(
        _ connection: PostgreSQLLibrary.Connection, _ patience: Patience
    ) throws(PostgreSQLError) -> Bool {
        guard library.PQstatus(connection) != PostgreSQLCode.connectionIsBad else { return false }
        var state = PostgreSQLCode.pollingWrites
        while true {
            switch state {
            case PostgreSQLCode.pollingFailed: return false
            case PostgreSQLCode.pollingIsDone: return true
            default:
                try wait(for: state == PostgreSQLCode.pollingReads ? POLLIN : POLLOUT, patience)
                state = library.PQconnectPoll(connection)
            }
        }
    }

    // MARK: Waiting

    /// How long to wait for the answer to a statement.
    var answerPatience: Patience { Patience(statementLimit + settings.answerMargin) }

    /// Waits until the socket is ready; the events of poll(2) that came.
    ///
    /// - Throws: ``PostgreSQLError`` of kind `timedOut` or `cancelled`, after closing the connection.
    @discardableResult private func wait(for events: Int32, _ patience: Patience) throws(PostgreSQLError) -> Int16 {
        // libpq may open another socket for the next address or for TLS, so it is read each time.
        switch patience.wait(for: events, of: library.PQsocket(try openConnection()), wakeUp) {
        case .ready(let events): return events
        case .late:
            close()
            throw PostgreSQLError(.timedOut, "the server did not answer in time")
        case .cancelled:
            close()
            throw PostgreSQLError(.cancelled, "the task was cancelled")
        }
    }

    /// Sends all that libpq has buffered, and reads meanwhile: a server may stop reading until its notices are read.
    func flush(_ patience: Patience) throws(PostgreSQLError) {
        let connection = try openConnection()
        // A failure to send is no error yet: the server's last message may still be read.
        while library.PQflush(connection) == 1 {
            let events = try wait(for: POLLIN | POLLOUT, patience)
            guard Int32(events) & ~POLLOUT != 0 else { continue }
            guard library.PQconsumeInput(connection) == 1 else { return }
        }
    }

    /// Waits for the next result of what was sent; nil after the last one. The caller clears it.
    func nextResult(_ patience: Patience) throws(PostgreSQLError) -> PostgreSQLLibrary.Result? {
        let connection = try openConnection()
        while library.PQisBusy(connection) != 0, !isBroken {
            try wait(for: POLLIN, patience)
            guard library.PQconsumeInput(connection) == 1 else { break }
        }
        // On a broken connection, it does not block and says what happened.
        return library.PQgetResult(connection)
    }

    /// Whether the server has closed the connection, as far as this side can know without a round trip.
    func noticesClosing() throws(PostgreSQLError) -> Bool {
        let connection = try openConnection()
        var socket = pollfd(fd: library.PQsocket(connection), events: Int16(POLLIN), revents: 0)
        while SidingSynchronization.poll(&socket, 1, 0) > 0 {
            guard library.PQconsumeInput(connection) == 1 else { break }
        }
        return isBroken
    }

    // MARK: Errors

    var isBroken: Bool {
        connection.map { library.PQstatus($0) != PostgreSQLCode.connectionIsOK } ?? true
    }

    /// The error for a call of libpq that failed.
    func callFailure() -> PostgreSQLError {
        let message = connection.map { library.errorMessage($0) } ?? ""
        if isBroken { close() }
        return .statement(
            sqlState: nil, message: message.isEmpty ? "the connection broke" : message, hint: nil, secrets: secrets)
    }

    /// The error of a result.
    func failure(of result: PostgreSQLLibrary.Result) -> PostgreSQLError {
        let whole = library.PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
        return .statement(
            sqlState: library.errorField(result, PostgreSQLCode.sqlStateField),
            message: library.errorField(result, PostgreSQLCode.messageField) ?? whole,
            hint: library.errorField(result, PostgreSQLCode.hintField), secrets: secrets)
    }
}
