// SPDX-License-Identifier: Apache-2.0
public import SidingChain
public import SidingJSON

/// The versions of one record.
public struct RecordHistory: Sendable, Hashable {
    /// The time from which all versions of all records are kept; nil if the resource keeps no history.
    public var since: Timestamp?
    /// Newest first, including versions from before the history was switched off.
    public var versions: [RecordVersion]
}

/// A record as shown during a span of time: the origin's body with pending edits applied.
public struct RecordVersion: Sendable, Hashable {
    /// What created a version.
    public enum Change: String, Sendable, Hashable, CaseIterable {
        /// The first version of the record.
        case inserted
        /// Another body than before, at the origin or by a pending edit.
        case updated
        /// The record became a tombstone.
        case deleted
        /// It had been deleted, and is live again.
        case revived
    }

    /// The original JSON bytes; a tombstone keeps its last body.
    public var body: [UInt8]
    /// The time at which it was stored.
    public var from: Timestamp
    /// The time at which the next version began; nil for the present one.
    public var to: Timestamp?
    /// The run that wrote it; 0 for saves and writes by the program.
    public var run: RunID
    /// What made it a new version.
    public var change: Change
    /// The number of pending edits in it.
    public var pending: Int
    /// The differences from the previous version, in the order of the members; nil if that is not kept, and for an insert.
    public var differences: [MemberDifference]?
}

/// One difference between two versions. Objects are compared by member; an array is one value.
public struct MemberDifference: Sendable, Hashable {
    /// The member that differs.
    public var path: JSONPath
    /// Nil if the member was missing; a `null` is a value.
    public var old: JSONDocument?
    /// Nil if the member is missing now.
    public var new: JSONDocument?

    /// The differences in meaning between two documents; different spellings of a value are none.
    static func between(_ old: JSONDocument, _ new: JSONDocument) -> [MemberDifference] {
        ThreeWayDifference(base: old, mine: old, theirs: new).rows.map { row in
            MemberDifference(path: row.path, old: row.base, new: row.theirs)
        }
    }
}
