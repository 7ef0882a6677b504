/// Why the store could not do as asked.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// What went wrong; the raw value is the name in `--json` output.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another run took the lease over; nothing was changed.
        case leaseLost = "lease_lost"
        case notFound = "not_found"
        /// A prefix leads to several entries.
        case ambiguous
        /// The disk or the file system has no room left.
        case full
        /// Waiting for another writer took too long.
        case busy
        /// The file, or its directory, cannot be opened or written.
        case inaccessible
        /// The file is not a Siding database, or holds what no migration of ours made.
        case foreign
        /// The file was written by a newer Siding.
        case newer
        case corrupt
        case cancelled
        /// A query was ended by its time limit.
        case timeLimit = "time_limit"
        /// The SQL of a query is wrong or not allowed.
        case invalidQuery = "invalid_query"
        case inputOutput = "input_output"
        /// The resource's name cannot be a view's.
        case invalidName = "invalid_name"
        /// A record breaks the contract of its resource, which wants nothing of such a page.
        case contract
        /// A record changed between reading and writing it, again and again.
        case outdated
        /// A write that cannot be accepted as it stands.
        case invalidWrite = "invalid_write"
        /// This SQLite lacks what is asked of it.
        case unsupported

        /// Whether the same call may succeed later without anybody changing the program or replacing the file.
        var mayHeal: Bool {
            switch self {
            case .leaseLost, .notFound, .ambiguous, .full, .busy, .inaccessible, .cancelled, .timeLimit, .inputOutput,
                .outdated:
                true
            case .foreign, .newer, .corrupt, .invalidQuery, .invalidName, .contract, .invalidWrite, .unsupported: false
            }
        }
    }

    public var kind: Kind
    public var message: String
    public var hint: String?

    public init(_ kind: Kind, _ message: String, hint: String? = nil) {
        self.kind = kind
        self.message = message
        self.hint = hint
    }

    public var description: String { hint.map { "\(message); \($0)" } ?? message }
}
