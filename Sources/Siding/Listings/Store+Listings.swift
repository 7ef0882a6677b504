internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Opens a listing: at its checkpoint or retained fetch if there is one, else at the first page.
    ///
    /// A changed definition first discards checkpoint, validators and retained fetch. Resuming claims the retained fetch; if
    /// its sender died, that counts as a crash, and after three crashes the entry is parked as poison.
    ///
    /// Where none of that is to be written, the first page's transaction opens the listing: one commit for each unchanged parent
    /// of a fan-out rather than two.
    func openListing(_ opening: ListingOpening) async throws(StoreError) -> ListingPosition {
        let queue = QueueTransitions(owner: try ownerID(), now: clock.now)
        let unopened = try await read { try ListingOpener(opening: opening, queue: queue).unopened($0) }
        if let unopened { return unopened }
        let schema = opening.schema
        let members =
            schema.contract.looksAtMembers || !schema.children.isEmpty
            ? try await read { snapshot in
                try ResourceRow.load(named: opening.resource, snapshot)
                    .flatMap { try StoredMembers.load(of: $0.id, $0.schema, schema, snapshot) }
            } : nil
        return try await write(under: opening.lease) {
            try ListingOpener(opening: opening, queue: $0, members: members).open($1)
        }
    }

    /// What opening a listing at `now` would decide, and the changed aspects of the definition; nil if nothing is stored of the
    /// resource.
    func planListing(
        _ opening: ListingOpening, now: Timestamp
    ) async throws(StoreError) -> (decision: ListingOpener.Decision, changed: [String])? {
        try await read { snapshot in
            let stored = try snapshot.first(
                "SELECT id, definition FROM siding_resources WHERE name = ?1", opening.resource
            ) { (id: $0.int(0), definition: ResourceDefinition(stored: $0.text(1))) }
            guard let stored else { return nil }
            let changed = opening.isUnconditional ? [] : opening.definition.differences(from: stored.definition)
            let opener = ListingOpener(opening: opening, queue: QueueTransitions(owner: "", now: now))
            return (try opener.decide(stored.id, changed, snapshot), changed)
        }
    }

    /// Opens the listing of which no page could be saved.
    func openWithoutPage(_ position: ListingPosition) async throws(StoreError) {
        guard let (opening, moment) = position.unopened else { return }
        try await write(under: opening.lease) { queue, transaction in
            guard let resource = try Self.resourceRow(opening.resource, transaction) else { return }
            try ListingOpener(opening: opening, queue: QueueTransitions(owner: queue.owner, now: moment))
                .begin(resource.id, transaction)
        }
    }

    /// Drops the checkpoint, supersedes the retained fetch, and opens a new listing at its first page.
    ///
    /// Deletes the stored cursor if ``ListingOpening/forgetsCursor`` is set.
    func restartListing(
        _ opening: ListingOpening, because reason: String
    ) async throws(StoreError) -> ListingPosition {
        try await write(under: opening.lease) {
            try ListingOpener(opening: opening, queue: $0).restart(because: reason, $1)
        }
    }

    /// The stored cursor of a resource; nil if it has none yet.
    ///
    /// - Parameter scope: see ``PageRequest/scope``.
    package func cursor(of resource: String, scope: String = "") async throws(StoreError) -> StoredCursor? {
        try await read { snapshot in
            try snapshot.first(
                """
                SELECT c.value, c.moved_at, r.definition, l.root
                FROM siding_cursors c JOIN siding_resources r ON r.id = c.resource
                LEFT JOIN siding_listings l ON l.resource = c.resource AND l.scope = c.scope
                WHERE r.name = ?1 AND c.scope = ?2
                """, resource, scope
            ) { row in
                StoredCursor(
                    value: row.text(0), movedAt: Timestamp(microseconds: row.int(1)),
                    definition: ResourceDefinition(stored: row.text(2)), root: row.optionalText(3))
            }
        }
    }

    /// Sets or deletes the cursor of a resource, as an operator action. Open listings are dropped, as they began at another
    /// cursor.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource that was never opened, ``StoreError/Kind/leaseLost``.
    package func setCursor(_ value: String?, of resource: String, lease: Lease) async throws(StoreError) {
        try await write(under: lease) { try CursorRows.set(value, of: resource, $0, $1) }
    }

    /// The state that decides whether a sync can be skipped; nil if the resource was never opened. It counts no records.
    package func freshness(of resource: String) async throws(StoreError) -> ResourceFreshness? {
        try await read { snapshot in
            try snapshot.first(
                """
                SELECT definition, completed_at, fresh_until, not_before,
                    asks_anew OR EXISTS (SELECT 1 FROM siding_listings WHERE resource = r.id AND (
                        state = 'open' OR incomplete IS NOT NULL AND scope = '')), schema,
                    source
                FROM siding_resources r WHERE name = ?1
                """, resource
            ) { row in
                ResourceFreshness(
                    definition: ResourceDefinition(stored: row.text(0)),
                    completedAt: row.optionalInt(1).map(Timestamp.init), said: ListingFreshness(row, at: 2),
                    isUnfinished: row.int(4) == 1, schema: RecordSchema(stored: row.optionalText(5)),
                    source: row.text(6))
            }
        }
    }

    /// What the store knows of a page that is about to be requested, in one read.
    ///
    /// - Parameter looksForRow: whether the stored row of the page is wanted.
    /// - Returns: the row, nil if there is none; and the newest request, see ``PageCommit/requestedAfter``.
    func beforeRequest(
        of page: PageRequest, of resource: String, looksForRow: Bool
    ) async throws(StoreError) -> (stored: StoredPage?, newest: Int64) {
        try await read { snapshot in
            let stored = looksForRow ? try Self.storedPage(page, of: resource, snapshot) : nil
            return (stored, try RequestRow.nextID(snapshot) - 1)
        }
    }

    /// The stored row of a page; nil if there is none.
    func storedPage(_ page: PageRequest, of resource: String) async throws(StoreError) -> StoredPage? {
        try await read { try Self.storedPage(page, of: resource, $0) }
    }

    private static func storedPage(
        _ page: PageRequest, of resource: String, _ snapshot: borrowing Snapshot
    ) throws -> StoredPage? {
        try snapshot.first(
            """
            SELECT etag, last_modified, next_url, next_number, next_offset, next_sent, scope, records,
                (SELECT next_source FROM siding_listings WHERE resource = p.resource AND scope = p.scope), read_at,
                high_water_mark, digest
            FROM siding_pages p
            WHERE resource = (SELECT id FROM siding_resources WHERE name = ?1) AND scope = ?2 AND url = ?3
                AND sent = ?4
            """, resource, page.scope, page.url.description, page.body ?? ""
        ) { row in
            StoredPage(
                etag: row.optionalText(0), lastModified: row.optionalText(1), next: PageRequest(row, at: 2),
                recordCount: Int(row.int(7)), nextPageSource: row.optionalText(8).flatMap(NextPageSource.init),
                readAt: row.optionalInt(9).map(Timestamp.init), highWaterMark: row.optionalText(10),
                digest: row.optionalInt(11).map(UInt64.init(bitPattern:)))
        }
    }

    /// Commits a page in one transaction: records, validators, checkpoint, run counters, and its retained fetch as completed.
    /// The last page also closes the listing.
    ///
    /// - Returns: the counters of this page.
    /// - Throws: ``StoreError/Kind/leaseLost`` if another run took over; then nothing changes.
    func commit(_ page: PageCommit) async throws(StoreError) -> RunCounters {
        try await probes.willCommit(page.page.number)
        let known = memberSets.known(of: page.resource)
        let saved = try await write(under: page.lease) {
            try PageSaver(page: page, queue: $0).save($1, knownMemberSets: known)
        }
        // Only after the commit: member sets of a page that was rolled back would hide its columns.
        memberSets.add(saved.newMemberSets, to: page.resource)
        if saved.counters.inserted + saved.counters.updated + saved.counters.deleted > 0 { changeSignal.fire() }
        return saved.counters
    }
}

extension PageRequest {
    /// Reads five columns from `column` on: URL, number, offset, body, scope. Nil if the URL is null or invalid.
    init?(_ row: borrowing Row, at column: Int) {
        guard let text = row.optionalText(column), let url = try? HTTPURL(text) else { return nil }
        let body = row.text(column + 3)
        self.init(
            url: url, body: body.isEmpty ? nil : body, scope: row.text(column + 4), number: Int(row.int(column + 1)),
            offset: Int(row.int(column + 2)))
    }
}

extension ListingCursor {
    /// Reads four columns from `column` on: `cursor_from`, `cursor_reached`, `cursor_moves`, `cursor_waits`.
    init(_ row: borrowing Row, at column: Int) {
        self.init(
            from: row.optionalText(column), reached: row.optionalText(column + 1), moves: row.int(column + 2) == 1,
            waits: row.int(column + 3) == 1)
    }
}
