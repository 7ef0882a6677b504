package import SidingChain
internal import SidingSQLite

/// The state of a resource's data.
package struct ResourceState: Sendable, Hashable {
    package var resource: String
    package var source: String
    /// The resource's definition at its last sync.
    package var definition: ResourceDefinition
    package var records: Int
    /// Records in quarantine.
    package var quarantined = 0
    /// Missing records: in no page of the last complete listings, and not deleted yet.
    package var missing = 0
    /// Why the last listing, or that of a parent, is incomplete; nil if it is complete or unfinished.
    package var incomplete: String?
    /// When the last complete listing ended.
    package var completedAt: Timestamp?
    /// The next page of an unfinished listing.
    package var checkpoint: PageRequest?
    /// The cursor of that listing: where it began and its high-water mark.
    package var checkpointCursor = ListingCursor()
    /// Until when the origin declared the data fresh, in the last complete listing.
    var freshness = ListingFreshness()
    /// The last fan-out pass of a resource with parents.
    package var pass: PassState?
    /// When the unfinished listing, or the last fan-out pass, last made progress; nil if there is none.
    var progressedAt: Timestamp?
}

extension ResourceState {
    /// The state that decides whether a sync can be skipped.
    package var standing: ResourceFreshness {
        ResourceFreshness(
            definition: definition, completedAt: completedAt, said: freshness,
            isUnfinished: checkpoint != nil || incomplete != nil,
            source: source)
    }
}

extension Store {
    /// The state of every resource that was ever synced, by name.
    ///
    /// - Parameter countsRecords: whether ``ResourceState/records`` are counted, for which every row is read; else 0.
    package func resourceStates(countsRecords: Bool = true) async throws(StoreError) -> [ResourceState] {
        try await read { snapshot in
            var states = try snapshot.query(
                """
                SELECT r.name, r.source, r.definition, (SELECT COUNT(*) FROM siding_quarantine WHERE resource = r.id),
                    (SELECT COUNT(*) FROM siding_missing WHERE resource = r.id AND passes IS NOT NULL AND checked_at IS NULL),
                    r.completed_at, l.next_url, l.next_number, l.next_offset, l.next_sent, l.scope, l.cursor_from,
                    l.cursor_reached, COALESCE(l.cursor_moves, 0), COALESCE(l.cursor_waits, 0), r.fresh_until, r.not_before,
                    o.pass, o.state, o.takes_all, o.started_at, o.ended_at,
                    CASE WHEN o.pass IS NULL THEN l.checkpoint_at ELSE MAX(o.started_at, COALESCE((
                        SELECT MAX(checkpoint_at) FROM siding_listings WHERE resource = r.id AND pass = o.pass), 0)) END,
                    r.id, (SELECT incomplete FROM siding_listings WHERE resource = r.id AND incomplete IS NOT NULL
                        AND pass IS o.pass ORDER BY scope LIMIT 1)
                FROM siding_resources r
                LEFT JOIN siding_listings l ON l.resource = r.id AND l.scope = '' AND l.state = 'open'
                LEFT JOIN siding_passes o ON o.resource = r.id
                ORDER BY r.name
                """
            ) { row in
                let state = ResourceState(
                    resource: row.text(0), source: row.text(1), definition: ResourceDefinition(stored: row.text(2)),
                    records: 0, quarantined: Int(row.int(3)), missing: Int(row.int(4)),
                    incomplete: row.optionalText(24),
                    completedAt: row.optionalInt(5).map(Timestamp.init), checkpoint: PageRequest(row, at: 6),
                    checkpointCursor: ListingCursor(row, at: 11), freshness: ListingFreshness(row, at: 15),
                    pass: PassState(row, at: 17), progressedAt: row.optionalInt(22).map(Timestamp.init))
                return (state: state, resource: row.int(23))
            }
            for index in states.indices where countsRecords {
                states[index].state.records = try RecordsTable.load(states[index].resource, snapshot)
                    .countLiving(snapshot)
            }
            return states.map(\.state)
        }
    }
}
