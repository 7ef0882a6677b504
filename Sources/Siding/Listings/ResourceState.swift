// SPDX-License-Identifier: Apache-2.0
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
    /// Stored records that the last complete listing lacks, where nothing deletes them.
    package var unlisted = 0
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
    package var resourceFreshness: ResourceFreshness {
        ResourceFreshness(
            definition: definition, completedAt: completedAt, reported: freshness,
            isUnfinished: checkpoint != nil || incomplete != nil, source: source)
    }

    /// Whether the records are older than `limit`: also if they were never complete, or were a minute or more in the future,
    /// because the clock was set back then. The origin may declare them fresh for longer.
    ///
    /// - Parameters:
    ///   - state: nil if the resource was never synced.
    ///   - limit: nil if the records may have any age.
    package static func isStale(_ state: ResourceState?, after limit: Duration?, at now: Timestamp) -> Bool {
        guard let limit, state?.resourceFreshness.freshUntil(at: now) == nil else { return false }
        guard let age = state?.completedAt.map({ now - $0 }) else { return true }
        return age > limit || age < .seconds(-60)
    }
}

extension Store {
    /// The state of every resource that was ever synced, by name.
    ///
    /// - Parameter countsRecords: whether ``ResourceState/records`` are counted, for which every row is read; else 0.
    package func resourceStates(countsRecords: Bool = true) async throws(StoreError) -> [ResourceState] {
        try await read { snapshot in
            try ResourcesTable.all(snapshot).map { row in
                let listing = try ListingsTable.load(row.id, scope: "", snapshot).flatMap { $0.isOpen ? $0 : nil }
                let pass = try PassesTable.load(of: row.id, snapshot)
                return ResourceState(
                    resource: row.name, source: row.source, definition: row.definition,
                    records: try countsRecords ? RecordsTable(row: row).countLiving(snapshot) : 0,
                    quarantined: try QuarantineTable.count(of: row.id, snapshot),
                    missing: try MissingTable.count(of: row.id, snapshot), unlisted: row.unlisted,
                    incomplete: try ListingsTable.incomplete(row.id, pass: pass?.pass.pass, snapshot),
                    completedAt: row.completedAt, checkpoint: listing?.next,
                    checkpointCursor: listing?.cursor ?? ListingCursor(), freshness: row.freshness, pass: pass?.pass,
                    progressedAt: pass?.progressedAt ?? listing?.checkpointAt)
            }
        }
    }
}
