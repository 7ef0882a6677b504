// SPDX-License-Identifier: Apache-2.0
public import SidingChain
public import SidingJSON
internal import SidingSQLite

/// The local and remote versions of a record with a pending edit.
public struct ConflictReport: Sendable, Hashable {
    /// The write.
    public var entry: QueueEntry
    /// How it changes the record.
    public var change: WriteEdit.Change
    /// The origin's copy when the edit was made, with earlier edits applied; nil if there was no record.
    public var base: JSONDocument?
    /// The edit applied to ``base``; nil if it deletes the record.
    public var mine: JSONDocument?
    /// The present origin's copy, with earlier edits applied; nil if the record is gone.
    public var theirs: JSONDocument?
    /// When ``theirs`` was stored, if the origin has refused the write since then: the record there may be another one. Nil if it came
    /// with the refusal or later. A page that shows it unchanged does not count.
    public var theirsStoredAt: Timestamp?
    /// The differences per member; nil if the record is missing locally or remotely.
    package var difference: ThreeWayDifference?
    /// Why the edit conflicts with the origin's copy, as a message; nil if it can be sent.
    public var disagreement: String?

    init(_ sides: EditSides, _ database: borrowing some Queryable & ~Copyable) throws {
        entry = sides.edit.entry
        change = sides.edit.terms.change
        base = sides.base.living
        mine = sides.mine.living
        theirs = sides.theirs.living
        difference = sides.difference
        disagreement = sides.disagreement
        theirsStoredAt = try Self.storing(of: sides.edit, database)
    }

    private static func storing(
        of edit: PendingEdit, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Timestamp? {
        guard edit.entry.reason == .conflict, let status = edit.entry.lastError?.status,
            HTTPFailure(status: status).statusClass == .conflict,
            let refused = try OutboxEventsTable.newest(.parked, of: edit.entry.id, database),
            let resource = try ResourcesTable.id(of: edit.resource, database)
        else { return nil }
        let request = try ServerCopiesTable.load(resource, edit.key, database)?.request
        // Without its request the copy is at most as old as the edit.
        let stored =
            try request.flatMap { try ProvenanceTable.load($0, of: resource, database)?.at } ?? edit.entry.createdAt
        return stored < refused ? stored : nil
    }
}
