// SPDX-License-Identifier: Apache-2.0
public import Siding
internal import SidingChain
internal import SidingPostgreSQL

/// Why a publication failed: ``kind`` for code that must choose, ``description`` for the user.
public struct HubError: Error, Sendable, Equatable {
    /// What happened; each kind calls for a different reaction.
    public enum Kind: Sendable, Equatable {
        /// The hub cannot be reached, or cannot do it now; nothing is lost, and the same call may succeed later.
        case unavailable
        /// The hub refused the user or the password.
        case signIn
        /// The address, the password's place or libpq are missing or wrong.
        case config
        /// The hub refused a statement: a right is missing, or its tables are not as expected.
        case refused
        /// The hub has a position that is not this file's.
        case foreign
        /// More records of the station would be deleted than the guard allows.
        case deletionGuard
        /// Another publication of the file to the same target is under way.
        case locked
        /// The task was cancelled, or the program closes the store.
        case cancelled
        /// The database of this station.
        case store(StoreError.Kind)
    }

    /// What happened.
    public let kind: Kind
    /// What happened, for people: one line, without a password.
    public let message: String
    /// What to do about it, one line.
    public let hint: String?

    init(_ kind: Kind, _ message: String, hint: String? = nil) {
        (self.kind, self.message, self.hint) = (kind, message, hint)
    }

    init(_ error: PostgreSQLError) {
        let kind: Kind =
            switch error.kind {
            case _ where error.isTransient: .unavailable
            case .libraryMissing, .invalidAddress: .config
            case .signIn: .signIn
            case .cancelled: .cancelled
            case .refused, .unreachable, .lost, .timedOut: .refused
            }
        let state = error.sqlState.map { " (SQLSTATE \($0))" } ?? ""
        self.init(kind, error.message + state, hint: error.hint ?? (kind == .refused ? Self.rights(error) : nil))
    }

    /// 42501: insufficient_privilege.
    private static func rights(_ error: PostgreSQLError) -> String? {
        error.sqlState == "42501" ? "'siding publish --ddl' prints what the hub's owner has to run" : nil
    }

    init(_ error: StoreError) {
        self.init(error.kind == .cancelled ? .cancelled : .store(error.kind), error.message, hint: error.hint)
    }

    init(_ failure: Failure) {
        self.init(failure.reason == .cancelled ? .cancelled : .config, "\(failure)")
    }

    /// Whatever a transaction threw.
    init(_ error: any Error) {
        switch error {
        case let error as HubError: self = error
        case let error as PostgreSQLError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as Failure: self.init(error)
        case is CancellationError: self.init(.cancelled, "stopped")
        default: self.init(.refused, "\(error)")
        }
    }

    /// A stable name for scripts.
    public var name: String {
        switch kind {
        case .unavailable: Publication.unavailable
        case .signIn: "sign_in"
        case .config: "config"
        case .refused: "refused"
        case .foreign: "foreign"
        case .deletionGuard: "deletion_guard"
        case .locked: "locked"
        case .cancelled: "cancelled"
        case .store(let kind): kind.rawValue
        }
    }

    var recorded: RecordedError { RecordedError(name: name, message: message, hint: hint) }

    /// Whether no other resource can be published either.
    package var concernsAll: Bool {
        switch kind {
        case .unavailable, .signIn, .config, .locked, .cancelled: true
        case .refused, .foreign, .deletionGuard, .store: false
        }
    }
}

extension HubError: CustomStringConvertible {
    /// The ``message``.
    public var description: String { message }
}
