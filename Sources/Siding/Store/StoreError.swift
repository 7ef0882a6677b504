// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// An error of the store.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of error; the raw value is its name in `--json` output.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another run took over the lease; nothing was changed.
        case leaseLost = "lease_lost"
        /// No resource, run, quarantined record or database with this name or number.
        case notFound = "not_found"
        /// A prefix matches several entries.
        case ambiguous
        /// The disk or the file system is full.
        case full
        /// Waiting for another writer took too long.
        case busy
        /// The file, or its directory, cannot be opened or written.
        case inaccessible
        /// The file is not a Siding database, or has objects that no migration of ours made.
        case foreign
        /// The file was written by a newer Siding.
        case newer
        /// The file is damaged, or holds a value that no Siding writes.
        case corrupt
        /// The task was cancelled before the call was done.
        case cancelled
        /// The store was closed; see ``Siding/close()``.
        case closed
        /// A query reached its time limit.
        case timeLimit = "time_limit"
        /// The SQL of a query is invalid or not allowed.
        case invalidQuery = "invalid_query"
        /// Reading or writing failed for a reason that has no kind of its own, such as a disk error.
        case inputOutput = "input_output"
        /// No view can have the resource's name.
        case invalidName = "invalid_name"
        /// A record breaks its resource's contract, which rejects the whole page.
        case contract
        /// A record kept changing between read and write.
        case outdated
        /// The write cannot be accepted in this form.
        case invalidWrite = "invalid_write"
        /// An action on an entry of the queue that its state does not allow.
        case refused
        /// This SQLite lacks a required feature.
        case unsupported

        /// Whether the same call may succeed later without a change of the program or the file.
        var mayHeal: Bool {
            switch self {
            case .leaseLost, .notFound, .ambiguous, .full, .busy, .inaccessible, .cancelled, .timeLimit, .inputOutput,
                .outdated, .refused:
                true
            case .closed, .foreign, .newer, .corrupt, .invalidQuery, .invalidName, .contract, .invalidWrite,
                .unsupported:
                false
            }
        }
    }

    /// The stable part, for programs.
    public var kind: Kind
    /// What failed and why, in one sentence for people.
    public var message: String
    /// What to do about it; nil if nothing is known to help.
    public var hint: String?

    package init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    /// The message and the hint.
    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}

extension StoreError {
    /// The error for a file of a build before the first release.
    init(unreleasedFileAt path: String) {
        self.init(
            .foreign, "\(path) was written by an unreleased build of siding, and this one cannot read it",
            hint:
                "move it away and sync again; writes that still wait in it can be sent only by the build that wrote it")
    }

    /// Maps an error of SQLite, or of a step inside a transaction, to a store error.
    init(mapping error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self = Self.mapped(error)
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: self.init(.inputOutput, String(describing: error))
        }
    }

    private static func mapped(_ error: SQLiteError) -> StoreError {
        let message = String(describing: error)
        switch error.kind {
        case .busy: return StoreError(.busy, message)
        case .full: return StoreError(.full, message)
        case .readOnly, .permission, .cannotOpen, .unsafeFile, .networkFileSystem:
            return StoreError(.inaccessible, message)
        case .corrupt: return StoreError(.corrupt, message)
        case .foreignFile(DatabaseConfiguration.unreleasedApplicationID):
            return StoreError(unreleasedFileAt: error.path)
        case .notADatabase, .foreignFile: return StoreError(.foreign, message)
        case .tooNewSchema: return StoreError(.newer, message)
        case .timeLimit: return StoreError(.timeLimit, message)
        case .closed: return .closed
        case .cancelled, .interrupted: return StoreError(.cancelled, message)
        case .ioError, .constraint, .other: return StoreError(.inputOutput, message)
        }
    }
}
