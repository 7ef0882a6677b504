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

/// Writes records on the program's own behalf.
///
/// A later sync that finds other bodies at the origin overwrites them, and revives what was deleted here: these calls change
/// the copy, not the origin.
public protocol LocalRecordStore: Sendable {
    /// Writes all rows in one transaction.
    ///
    /// The run of what is written is 0: no run wrote it.
    /// - Returns: an outcome per row, in order; nil where an expectation did not hold: then nothing was written.
    func apply(_ changes: RecordChanges) async throws(StoreError) -> [RecordChangeOutcome]?

    /// Turns the selected records into tombstones, which keep their bodies.
    ///
    /// - Returns: how many.
    func delete(_ selection: RecordSelection) async throws(StoreError) -> Int

    /// Turns the records with these keys into tombstones; keys without a living record are passed over.
    ///
    /// - Returns: how many.
    func delete(_ lookup: RecordLookup) async throws(StoreError) -> Int
}
