internal import SidingChain
internal import SidingSQLite

/// Opens a listing inside a transaction: at its retained fetch, at its checkpoint, or at the first page.
struct ListingOpener {
    let opening: ListingOpening
    let owner: String
    let now: Timestamp
    /// What stored bodies have, where the schema needs it.
    var members: StoredMembers?

    func open(_ transaction: borrowing Transaction) throws -> ListingPosition {
        if opening.isAdHoc { return try aside(transaction) }
        let resource = try registerResource(transaction)
        if !resource.changedAspects.isEmpty {
            try Self.discardAll(
                of: resource.id, named: opening.resource, because: "the definition changed", queue, transaction)
        }
        if opening.isUnconditional {
            try PageValidators(resource: resource.id).forget(scope: opening.first.scope, transaction)
        }
        var position = try startOrGoOn(resource.id, resource.changedAspects, transaction)
        position.changedAspects = resource.changedAspects
        position.leftOut = resource.leftOut
        return position
    }

    private func startOrGoOn(
        _ resource: Int64, _ changed: [String], _ transaction: borrowing Transaction
    ) throws -> ListingPosition {
        let isElsewhere = try opening.root.map { try isLeft(root: $0, resource, transaction) } ?? false
        // What was found at the other address is no cursor for this one.
        if isElsewhere { try CursorRows.forget(resource, scope: opening.first.scope, transaction) }
        let entry = try OutboxTable.openFetch(of: opening.resource, scope: opening.first.scope, transaction)
        let unfinished = try openRow(resource, transaction).map { row in
            ListingStart.Unfinished(
                page: row.page.number, progressedAt: row.progressedAt, isElsewhere: isElsewhere,
                isRetained: entry != nil, isHeld: entry?.waitsForPerson ?? false)
        }
        let start = ListingStart(
            unfinished, changed: changed, startsAnew: opening.startsAnew, within: opening.resumeWithin, now: now)
        // A page of a listing that ended elsewhere goes with it.
        let dropping = start.dropping ?? (isElsewhere ? ListingStart.first(.elsewhere).dropping : nil)
        if let dropping { try discard(resource, dropping, transaction) }
        switch start {
        case .checkpoint, .retained:
            return try resume(resource, entry, transaction) ?? begin(resource, transaction)
        case .first(let cause):
            var position = try begin(resource, transaction)
            // Whoever asked for it need not be told.
            if cause != .asked { position.droppedCheckpoint = start.dropping }
            return position
        }
    }

    /// Opens an ad-hoc listing. It registers an unknown resource, and leaves all else as it is.
    private func aside(_ transaction: borrowing Transaction) throws -> ListingPosition {
        let known = try transaction.first("SELECT 1 FROM siding_resources WHERE name = ?1", opening.resource) { _ in
            true
        }
        if known == nil { _ = try registerResource(transaction) }
        return ListingPosition(listing: 0, page: opening.first, isResumed: false)
    }

    /// Ends the open listing as incomplete, and begins a new one at the first page.
    func restart(because reason: String, _ transaction: borrowing Transaction) throws -> ListingPosition {
        let resource = try registerResource(transaction)
        try discard(resource.id, reason, transaction)
        // The stored next page is the one that the origin refused: a 304 must not next_source there again.
        try transaction.execute(
            "DELETE FROM siding_pages WHERE resource = ?1 AND scope = ?2", resource.id, opening.first.scope)
        try PageMembers.setChanged(resource.id, transaction)
        if opening.forgetsCursor {
            try CursorRows.forget(resource.id, scope: opening.first.scope, transaction)
        }
        var position = try begin(resource.id, transaction)
        position.droppedCheckpoint = reason
        return position
    }

    // MARK: The resource and its definition
    /// Inserts the resource's row, or updates its definition, source and record schema.

    func registerResource(
        _ transaction: borrowing Transaction
    ) throws -> (id: Int64, changedAspects: [String], leftOut: Int) {
        let found = try transaction.first(
            "SELECT id, definition, source FROM siding_resources WHERE name = ?1", opening.resource
        ) { row in
            (id: row.int(0), definition: ResourceDefinition(stored: row.text(1)), source: row.text(2))
        }
        guard let found else {
            let id = try ResourceRegistration.insert(
                opening.resource, source: opening.source, opening.definition, now: now, transaction)
            try DeclaredSchema(resource: id, name: opening.resource, run: opening.run)
                .apply(opening.schema, now: now, transaction)
            try showParent(id, transaction)
            return (id, [], 0)
        }
        let changed = opening.definition.differences(from: found.definition)
        if !changed.isEmpty { try redefine(found.id, changed, transaction) }
        if found.source != opening.source { try rename(found.id, changed, transaction) }
        let leftOut = try DeclaredSchema(resource: found.id, name: opening.resource, run: opening.run, members: members)
            .apply(opening.schema, now: now, transaction)
        var counters = RunCounters()
        counters.deleted = leftOut
        if leftOut > 0 { try RunCounting.add(counters, to: opening.resource, in: opening.run, transaction) }
        try showParent(found.id, transaction)
        return (found.id, changed, leftOut)
    }

    private func showParent(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try DeclaredSchema(resource: resource, name: opening.resource)
            .show(parent: opening.parent?.resource, transaction)
    }

    /// A table without records is dropped with the type of its keys. Records under two keys would show twice.
    private func leaveKey(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        let table = try RecordsTable.load(resource, transaction)
        let count = try table.count(transaction)
        guard count.living + count.deleted == 0 else {
            throw StoreError(
                .contract, "the key of '\(opening.resource)' changed, and its records are stored under the old one",
                hint: "'siding records forget \(opening.resource)' removes them")
        }
        try table.drop(transaction)
    }

    /// Validators and checkpoints belong to the old definition.
    private func redefine(_ resource: Int64, _ changed: [String], _ transaction: borrowing Transaction) throws {
        if changed.contains("key") { try leaveKey(resource, transaction) }
        try transaction.execute(
            "UPDATE siding_resources SET definition = ?2, source = ?3 WHERE id = ?1", resource, opening.definition.text,
            opening.source)
        if changed.contains("key") { try ResourceView.remake(opening.resource, transaction) }
        try DeletionReconciliation.startOver(resource, transaction)
        try transaction.execute("DELETE FROM siding_pages WHERE resource = ?1", resource)
        try CursorRows.forget(resource, transaction)
        try PassRows.forget(resource, transaction)
        try CompleteListings.forget(resource, transaction)
    }

    /// Applies a new name of the source to its queue entries. Edits follow only if origin and account are the same: nobody
    /// decided to send them elsewhere.
    private func rename(_ resource: Int64, _ changed: [String], _ transaction: borrowing Transaction) throws {
        try transaction.execute("UPDATE siding_resources SET source = ?2 WHERE id = ?1", resource, opening.source)
        let isSameOrigin = Set(changed).isDisjoint(with: ["base_url", "auth", "headers"])
        try OutboxTable.setSource(
            opening.source, ofResource: opening.resource, includesWrites: isSameOrigin, transaction)
    }

    // MARK: Old checkpoints

    /// Whether the last listing began at another address than `root`: its parent was another one then.
    private func isLeft(root: String, _ resource: Int64, _ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first(
            "SELECT 1 FROM siding_listings WHERE resource = ?1 AND scope = ?2 AND root <> ?3", resource,
            opening.first.scope, root
        ) { _ in true } ?? false
    }

    private var queue: QueueTransitions { QueueTransitions(owner: owner, now: now) }

    /// Ends the open listing of this parent as incomplete, and supersedes its retained fetch.
    private func discard(_ resource: Int64, _ reason: String, _ transaction: borrowing Transaction) throws {
        let scope = opening.first.scope
        try transaction.execute(
            """
            UPDATE siding_listings SET state = 'incomplete', incomplete = ?2, next_url = NULL
            WHERE resource = ?1 AND scope = ?3 AND state = 'open'
            """, resource, reason, scope)
        if let entry = try OutboxTable.openFetch(of: opening.resource, scope: scope, transaction) {
            try queue.complete(entry.id, as: .done, event: "superseded", detail: reason, transaction)
        }
    }

    /// Ends all open listings of a resource as incomplete, and supersedes their retained fetches.
    static func discardAll(
        of resource: Int64, named name: String, because reason: String, _ queue: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            UPDATE siding_listings SET state = 'incomplete', incomplete = ?2, next_url = NULL
            WHERE resource = ?1 AND state = 'open'
            """, resource, reason)
        for entry in try OutboxTable.openFetches(of: name, transaction) {
            try queue.complete(entry.id, as: .done, event: "superseded", detail: reason, transaction)
        }
    }

    // MARK: Resume or begin

    private func resume(
        _ resource: Int64, _ entry: QueueEntry?, _ transaction: borrowing Transaction
    ) throws -> ListingPosition? {
        guard let listing = try openRow(resource, transaction) else { return nil }
        var position = ListingPosition(
            listing: listing.number, page: listing.page, isResumed: listing.page.number > 1)
        position.cursor = listing.cursor
        position.freshness = listing.freshness
        try note(resource, isNew: false, transaction)
        guard let entry else { return position }
        position.isResumed = true
        let claimed = try queue.claim(entry, transaction)
        if claimed.state == .sending { position.entry = claimed } else { position.blockedBy = claimed }
        return position
    }

    private func openRow(
        _ resource: Int64, _ transaction: borrowing Transaction
    ) throws -> OpenListing? {
        let row = try transaction.first(
            """
            SELECT listing, next_url, next_number, next_offset, next_sent, scope, cursor_from, cursor_reached, cursor_moves,
                fresh_until, not_before, cursor_waits, checkpoint_at
            FROM siding_listings
            WHERE resource = ?1 AND scope = ?2 AND state = 'open'
            """, resource, opening.first.scope
        ) { row in
            PageRequest(row, at: 1).map { page in
                OpenListing(
                    number: row.int(0), page: page,
                    cursor: ListingCursor(
                        from: row.optionalText(6), reached: row.optionalText(7), moves: row.int(8) == 1,
                        waits: row.int(11) == 1),
                    freshness: ListingFreshness(row, at: 9), progressedAt: Timestamp(microseconds: row.int(12)))
            }
        }
        return row ?? nil
    }

    private struct OpenListing {
        let number: Int64
        let page: PageRequest
        let cursor: ListingCursor
        let freshness: ListingFreshness
        let progressedAt: Timestamp
    }

    private func begin(_ resource: Int64, _ transaction: borrowing Transaction) throws -> ListingPosition {
        let first = opening.first
        try transaction.execute(
            """
            INSERT INTO siding_listings (resource, listing, state, next_url, next_number, next_offset, started_at,
                checkpoint_at, run, cursor_from, cursor_moves, scope, next_sent, root)
            VALUES (?1, 1, 'open', ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (resource, scope) DO UPDATE SET
                listing = listing + 1, state = 'open', paging = NULL, next_url = excluded.next_url,
                next_number = excluded.next_number, next_offset = excluded.next_offset, pages = 0, records = 0,
                incomplete = NULL, started_at = excluded.started_at, checkpoint_at = excluded.checkpoint_at,
                run = excluded.run, cursor_from = excluded.cursor_from, cursor_moves = excluded.cursor_moves,
                cursor_reached = NULL, cursor_waits = 0, next_sent = excluded.next_sent, fresh_until = NULL,
                not_before = NULL, root = excluded.root, moved = 0
            """, resource, first.url.description, first.number, first.offset, now.microseconds, opening.run,
            opening.cursor.from, opening.cursor.moves, first.scope, first.body ?? "", opening.root)
        let listing = try transaction.first(
            "SELECT listing FROM siding_listings WHERE resource = ?1 AND scope = ?2", resource, first.scope
        ) { $0.int(0) }
        try note(resource, isNew: true, transaction)
        var position = ListingPosition(listing: listing ?? 1, page: first, isResumed: false)
        position.cursor = opening.cursor
        // A stored page out of order would not be seen again if the listing ended before it.
        position.cursor.waits =
            try transaction.first(
                "SELECT 1 FROM siding_pages WHERE resource = ?1 AND scope = ?2 AND high_water_mark = ?3 LIMIT 1",
                resource,
                first.scope,
                StoredPage.disorder
            ) { _ in true } ?? false
        return position
    }

    private func note(_ resource: Int64, isNew: Bool, _ transaction: borrowing Transaction) throws {
        // Nobody requested the changes between the cursor and the start of such a listing, so the parent stays due.
        try PassRows.note(
            opening.parent, of: resource, scope: opening.first.scope, isNew: isNew && !opening.cursor.isPassing,
            transaction)
    }
}
