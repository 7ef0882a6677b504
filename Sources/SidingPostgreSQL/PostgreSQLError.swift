// SPDX-License-Identifier: Apache-2.0
/// An error of a PostgreSQL connection: ``kind`` for code that must choose, ``description`` for the user.
///
/// It contains no password, and no value that the server quotes from a statement's parameters.
package struct PostgreSQLError: Error, Sendable, Equatable {
    /// The error kinds; each calls for a different reaction.
    package enum Kind: Sendable, Equatable {
        /// libpq is not installed.
        case libraryMissing
        /// The address is not understood, or an option of it is invalid.
        case invalidAddress
        /// No connection could be made.
        case unreachable
        /// The server refused the user or the password (SQLSTATE 28xxx).
        case signIn
        /// The server refused a statement; ``PostgreSQLError/sqlState`` says why.
        case refused
        /// The connection broke, or the server ended it (57P0x, 08xxx).
        case lost
        /// No answer came in time; the connection is closed.
        case timedOut
        /// The task was cancelled; the connection is closed.
        case cancelled
    }

    package private(set) var kind: Kind
    /// The five characters of the server's error code (PostgreSQL's documentation, "PostgreSQL Error Codes"); nil if the error
    /// does not come from the server.
    package let sqlState: String?
    /// One line.
    package let message: String
    /// What to do about it, one line.
    package let hint: String?
    /// Whether COMMIT was sent and its outcome is unknown. Never send the transaction again before reading what the server has.
    /// False: nothing was committed.
    package private(set) var isCommitInDoubt = false

    init(_ kind: Kind, _ message: String, sqlState: String? = nil, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
        self.hint = hint
    }

    /// Whether the same call may succeed later, on a new connection if this one is closed.
    package var isTransient: Bool {
        switch kind {
        case .unreachable, .lost, .timedOut: return true
        case .libraryMissing, .invalidAddress, .signIn, .cancelled: return false
        case .refused: break
        }
        guard let sqlState else { return false }
        // Serialization failure, deadlock, lock not available, cancelled by the server's timeout.
        if ["40001", "40P01", "55P03", "57014"].contains(sqlState) { return true }
        // Shutdown or start; connection errors; too little memory, disk or too many connections.
        return ["57P", "08", "53"].contains { sqlState.hasPrefix($0) }
    }

    /// The same error of a connection that broke with it.
    func withLostConnection() -> PostgreSQLError {
        var error = self
        error.kind = .lost
        return error
    }

    /// The same error after COMMIT was sent.
    func withCommitInDoubt() -> PostgreSQLError {
        var error = self
        error.isCommitInDoubt = true
        return error
    }

    /// Whether an answer to COMMIT says that nothing was committed. It does not where the sender may not know itself:
    /// 40003 is "statement completion unknown", poolers report a lost server as 08xxx, and a server that shuts down (57P0x)
    /// may have committed.
    var isDefinite: Bool {
        guard kind == .refused, let sqlState else { return false }
        return sqlState != "40003"
    }
}

extension PostgreSQLError: CustomStringConvertible {
    package var description: String {
        let state = sqlState.map { " (SQLSTATE \($0))" } ?? ""
        let doubt = isCommitInDoubt ? ". It is unknown whether the transaction was committed" : ""
        return message + state + doubt + (hint.map { ". \($0)" } ?? "")
    }
}
