public import SidingJSON

/// Records that the program itself writes, no network between: all of them in one transaction, or none.
public struct RecordChanges: Sendable {
    public var resource: String
    /// Source and definition make the resource known where it is not; a stored definition is left alone.
    public var source: String
    public var definition: ResourceDefinition
    /// The bodies, as they are to be stored, somewhere in these bytes.
    public var bytes: [UInt8]
    /// No two of one key.
    public var rows: [Row]

    /// One record and what must be stored under its key for it to be written.
    public struct Row: Sendable, Hashable {
        public var slice: RecordSlice
        public var expectation: Expectation

        public init(_ slice: RecordSlice, expects expectation: Expectation) {
            self.slice = slice
            self.expectation = expectation
        }
    }

    /// What a row takes for granted.
    public enum Expectation: Sendable, Hashable {
        case anything
        /// No living record.
        case nothing
        /// A living record with this body, byte for byte.
        case body([UInt8])
    }

    public init(
        resource: String, source: String, definition: ResourceDefinition, bytes: [UInt8], rows: [Row]
    ) {
        self.resource = resource
        self.source = source
        self.definition = definition
        self.bytes = bytes
        self.rows = rows
    }
}

/// What became of one row of ``RecordChanges``.
public enum RecordChangeOutcome: Sendable, Hashable {
    /// Nothing living was stored under the key.
    case inserted
    case updated
    /// The stored body is the same; nothing was written.
    case unchanged
    /// It breaks a rule that every stored record keeps; the others of the batch do not suffer for it.
    case invalid(String)
}
