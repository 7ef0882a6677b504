internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Opens a listing: at its checkpoint or retained fetch if there is one, else at the first page.
    ///
    /// A changed definition first discards checkpoint, validators and retained fetch. Resuming claims the retained fetch; if
    /// its sender died, that counts as a crash, and after three crashes the entry is parked as poison.
    package func openListing(_ opening: ListingOpening) async throws(StoreError) -> ListingPosition {
        let me = try ownerID()
        let now = clock.now
        let schema = opening.schema
        let members =
            schema.contract.looksAtMembers || !schema.children.isEmpty
            ? try await read { snapshot in
                try ResourceRow.load(named: opening.resource, snapshot)
                    .flatMap { try StoredMembers.load(of: $0.id, $0.schema, schema, snapshot) }
            } : nil
        return try await write { transaction in
            try Self.check(opening.lease, owner: me, transaction)
            return try ListingOpener(opening: opening, owner: me, now: now, members: members).open(transaction)
        }
    }

    /// Drops the checkpoint, supersedes the retained fetch, and opens a new listing at its first page.
    ///
    /// Deletes the stored cursor if ``ListingOpening/forgetsCursor`` is set.
    package func restartListing(
        _ opening: ListingOpening, because reason: String
    ) async throws(StoreError) -> ListingPosition {
        let me = try ownerID()
        let now = clock.now
        return try await write { transaction in
            try Self.check(opening.lease, owner: me, transaction)
            let opener = ListingOpener(opening: opening, owner: me, now: now)
            return try opener.restart(because: reason, transaction)
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
        let me = try ownerID()
        let now = clock.now
        try await write { transaction in
            try Self.check(lease, owner: me, transaction)
            try CursorRows.set(value, of: resource, owner: me, now: now, transaction)
        }
    }

    /// The state that decides whether a sync can be skipped; nil if the resource was never opened. It counts no records.
    package func freshness(of resource: String) async throws(StoreError) -> ResourceFreshness? {
        try await read { snapshot in
            try snapshot.first(
                """
                SELECT definition, completed_at, fresh_until, not_before,
                    asks_anew OR EXISTS (SELECT 1 FROM siding_listings WHERE resource = r.id AND state = 'open'), schema,
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

    /// The stored row of a page; nil if there is none.
    package func storedPage(_ page: PageRequest, of resource: String) async throws(StoreError) -> StoredPage? {
        try await read { snapshot in
            try snapshot.first(
                """
                SELECT etag, last_modified, next_url, next_number, next_offset, next_sent, scope, records, next_source, read_at,
                    high_water_mark, digest
                FROM siding_pages
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
    }

    /// Commits a page in one transaction: records, validators, checkpoint, run counters, and its retained fetch as completed.
    /// The last page also closes the listing.
    ///
    /// - Returns: the counters of this page.
    /// - Throws: ``StoreError/Kind/leaseLost`` if another run took over; then nothing changes.
    package func commit(_ page: PageCommit) async throws(StoreError) -> RunCounters {
        try await probes.willCommit(page.page.number)
        let me = try ownerID()
        let now = clock.now
        let known = memberSets.known(of: page.resource)
        let saved = try await write { transaction in
            try Self.check(page.lease, owner: me, transaction)
            return try PageSaver(page: page, owner: me, now: now).save(transaction, knownMemberSets: known)
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
