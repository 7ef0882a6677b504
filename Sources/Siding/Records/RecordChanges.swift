// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// Records written by the program itself, without a network: all in one transaction, or none.
package struct RecordChanges: Sendable {
    package var resource: String
    /// Source and definition register a new resource; a stored definition is not changed.
    package var source: String
    package var definition: ResourceDefinition
    /// The buffer that contains the bodies to store.
    package var bytes: [UInt8]
    /// The records, at most one per key.
    package var rows: [ChangedRow]

    package init(resource: String, source: String, definition: ResourceDefinition, bytes: [UInt8], rows: [ChangedRow]) {
        (self.resource, self.source, self.definition, self.bytes) = (resource, source, definition, bytes)
        self.rows = rows
    }

    /// One record, and the stored state that it requires.
    package struct ChangedRow: Sendable, Hashable {
        package var slice: RecordSlice
        package var expectation: Expectation

        package init(slice: RecordSlice, expectation: Expectation) {
            (self.slice, self.expectation) = (slice, expectation)
        }
    }

    /// The stored state that a row requires.
    package enum Expectation: Sendable, Hashable {
        case anything
        /// No live record.
        case nothing
        /// A live record with exactly these bytes.
        case body([UInt8])
    }
}

/// The result of one row of ``RecordChanges``.
package enum RecordChangeOutcome: Sendable, Hashable {
    /// There was no live record under the key.
    case inserted
    case updated
    /// The stored body is the same; nothing was written.
    case unchanged
    /// It breaks a rule of stored records; the others of the batch are still written.
    case invalid(String)
}
