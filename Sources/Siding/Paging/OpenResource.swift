// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging
internal import SidingSQLite

/// What is stored of a resource, and of the listing of one parent, before a sync sends a request: read in one snapshot. A plan
/// begins with the same.
struct OpenResource: Sendable {
    /// Nil if nothing is stored of the resource.
    fileprivate(set) var row: ResourceRow?
    /// Nil likewise.
    fileprivate(set) var freshness: ResourceFreshness?
    /// The newest listing; nil if there never was one.
    fileprivate(set) var listing: ListingRow?
    /// The fetch that the queue retains; nil if there is none.
    fileprivate(set) var entry: QueueEntry?
    /// The stored cursor; nil if definition or first URL changed since, or the resource has no cursor.
    fileprivate(set) var cursor: StoredCursor?
    /// The gates of all sources that are closed.
    fileprivate(set) var gates: [SourceGate] = []

    /// How the pages of the listing got through so far; nil if their size stays the same. A full listing begins with the largest.
    func sizing(of resource: AnyResource, isFull: Bool = false) -> PageSizing? {
        guard let sizes = resource.pageSizes, sizes.sizes.count > 1 else { return nil }
        let stored = isFull ? nil : listing?.sizing
        return stored?.among(sizes).ofNewListing(sizes) ?? PageSizing(size: sizes.maximum)
    }

    /// The position of a new listing that the transaction of its first page opens, so that each unchanged parent of a fan-out
    /// costs one commit instead of two. Nil where something has to be written before: the resource is not stored as it is
    /// declared, or a listing or fetch was left half-way.
    func unopened(_ opening: ListingOpening, now: Timestamp) throws(StoreError) -> ListingPosition? {
        guard try isStored(as: opening), entry == nil, !opening.isAdHoc, !opening.isUnconditional,
            listing?.isOpen != true, listing?.isElsewhere(than: opening.root) != true
        else { return nil }
        return ListingPosition(
            listing: (listing?.number ?? 0) + 1, page: opening.first, isResumed: false, cursor: opening.cursor,
            unopened: (opening, now))
    }

    /// Whether the resource is stored as `opening` declares it.
    private func isStored(as opening: ListingOpening) throws(StoreError) -> Bool {
        let schema: String?
        do { schema = try opening.schema.stored } catch { throw StoreError(mapping: error) }
        guard let row else { return false }
        return row.source == opening.source && row.storedDefinition == opening.definition.text
            && row.storedSchema == schema && row.parent == opening.parent?.resource
            && (row.isEdited || !opening.isWritten)
    }

    /// The retained page, where opening the listing would only put it off until the closed gate opens, as it is already.
    func waiting(
        for gate: SourceGate, _ opening: ListingOpening, now: Timestamp
    ) throws(StoreError) -> QueueEntry? {
        guard let entry, entry.state == .queued, let until = gate.until, entry.nextAttemptAt >= until,
            row?.rewriteFrom == nil, try isStored(as: opening),
            decision(opening, now: now)?.start == .retained(isHeld: false)
        else { return nil }
        return entry
    }

    /// What opening a listing at `now` decides; nil if nothing is stored of the resource.
    func decision(_ opening: ListingOpening, now: Timestamp) -> ListingDecision? {
        row.map { row in
            let changed = opening.isUnconditional ? [] : opening.definition.differences(from: row.definition)
            return ListingDecision(opening, listing, entry, changed: changed, now: now)
        }
    }
}

extension OpenResource {
    /// - Parameter scope: see ``PageRequest/scope``.
    init(_ resource: String, scope: String = "", _ snapshot: borrowing Snapshot) throws {
        guard let row = try ResourcesTable.load(named: resource, snapshot) else { return }
        (self.row, freshness) = (row, try ResourceFreshness(row, snapshot))
        listing = try ListingsTable.load(row.id, scope: scope, snapshot)
        entry = try OutboxTable.openFetch(of: resource, scope: scope, snapshot)
    }
}

extension Store {
    /// Reads what a sync or a plan of `resource` begins with.
    ///
    /// - Parameter parent: the parent of the listing; nil if the resource has a single one.
    func begin(_ resource: AnyResource, for parent: BoundParent? = nil) async throws(StoreError) -> OpenResource {
        let scope = parent?.key ?? ""
        let root = parent.flatMap { NextPageRule(resource: resource).root(for: $0) }
        return try await read { snapshot in
            var open = try OpenResource(resource.name, scope: scope, snapshot)
            open.gates = try SourcesTable.gates(snapshot)
            if resource.cursor != nil, let row = open.row, row.definition == ResourceDefinition(resource),
                let cursor = try CursorsTable.load(of: row, scope: scope, snapshot),
                cursor.root == nil || root == nil || cursor.root == root
            {
                open.cursor = cursor
            }
            return open
        }
    }
}
