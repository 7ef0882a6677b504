// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingPaging
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Opens a listing: at its checkpoint or retained fetch if there is one, else at the first page.
    ///
    /// A changed definition first discards checkpoint, validators and retained fetch. Resuming claims the retained fetch; if
    /// its sender died, that counts as a crash, and after three crashes the entry is parked as poison.
    ///
    /// If nothing of this has to be stored now, ``OpenResource/unopened(_:now:)`` has its position without a write.
    func openListing(_ opening: ListingOpening) async throws(StoreError) -> ListingPosition {
        let schema = opening.schema
        let needsMembers = schema.contract.looksAtMembers || !schema.children.isEmpty
        let members =
            needsMembers
            ? try await read(opening.resource) { table, snapshot in
                try StoredMembers.load(of: table, table.row.schemaIfReadable, schema, snapshot)
            } : nil
        return try await write(under: opening.lease) {
            try ListingOpener(opening: opening, queue: $0, members: members).open($1)
        }
    }

    /// Opens the listing of which no page could be saved.
    func openWithoutPage(_ position: ListingPosition) async throws(StoreError) {
        guard let (opening, moment) = position.unopened else { return }
        try await write(under: opening.lease) { queue, transaction in
            guard let resource = try ResourcesTable.id(of: opening.resource, transaction) else { return }
            try ListingOpener(opening: opening, queue: QueueTransitions(owner: queue.owner, now: moment))
                .begin(resource, transaction)
        }
    }

    /// Drops the checkpoint, supersedes the retained fetch, and opens a new listing at its first page.
    ///
    /// Deletes the stored cursor if ``ListingOpening/forgetsCursor`` is set.
    func restartListing(_ opening: ListingOpening, because reason: String) async throws(StoreError) -> ListingPosition {
        try await write(under: opening.lease) {
            try ListingOpener(opening: opening, queue: $0).restart(because: reason, $1)
        }
    }

    /// Whether any listing of a resource was opened since it was last reset.
    func hasListings(of resource: String) async throws(StoreError) -> Bool {
        try await read(resource) { table, snapshot in
            try snapshot.exists("SELECT 1 FROM siding_listings WHERE resource = ?1 LIMIT 1", table.resource)
        } ?? false
    }

    /// The stored cursor of a resource; nil if it has none yet.
    ///
    /// - Parameter scope: see ``PageRequest/scope``.
    package func cursor(of resource: String, scope: String = "") async throws(StoreError) -> StoredCursor? {
        try await read(resource) { table, snapshot in
            try CursorsTable.load(of: table.row, scope: scope, snapshot)
        }
    }

    /// Stores what became of a page of `size`.
    func change(
        _ size: Int, of resource: String, scope: String, lease: Lease,
        by change: @escaping @Sendable (inout PageSizing) -> Void
    ) async throws(StoreError) {
        try await write(under: lease) { _, transaction in
            guard let id = try ResourcesTable.id(of: resource, transaction) else { return }
            var sizing = try ListingsTable.load(id, scope: scope, transaction)?.sizing ?? PageSizing(size: size)
            change(&sizing)
            try ListingsTable.set(sizing, of: id, scope: scope, transaction)
        }
    }

    /// Sets or deletes the cursor of a resource, as an operator action. Open listings are dropped, as they began at another
    /// cursor.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` for a resource that was never opened, ``StoreError/Kind/leaseLost``.
    package func setCursor(_ value: String?, of resource: String, lease: Lease) async throws(StoreError) {
        try await write(under: lease) { try CursorsTable.set(value, of: resource, $0, $1) }
    }

    /// The state that decides whether a sync can be skipped; nil if the resource was never opened. It counts no records.
    package func freshness(of resource: String) async throws(StoreError) -> ResourceFreshness? {
        try await read(resource) { table, snapshot in try ResourceFreshness(table.row, snapshot) }
    }

    /// The stored row of a page; nil if there is none.
    func storedPage(_ page: PageRequest, of resource: String) async throws(StoreError) -> StoredPage? {
        try await storedPages(from: page, limit: 1, of: resource)[page.address]
    }

    /// The stored rows of a page and of those that follow it, by their addresses.
    ///
    /// - Parameter limit: the most rows. A read for each page would take a third of the time of a page of 100 records.
    func storedPages(
        from page: PageRequest, limit: Int = 50, of resource: String
    ) async throws(StoreError) -> [PageRequest.Address: StoredPage] {
        try await read { snapshot in
            guard let id = try ResourcesTable.id(of: resource, snapshot) else { return [:] }
            let source = try ListingsTable.nextPageSource(id, scope: page.scope, snapshot)
            return try PagesTable.load(from: page, limit: limit, of: id, nextPageSource: source, snapshot)
        }
    }

    /// Saves pages that follow one another, in one transaction: records, validators, checkpoint, run counters, and the retained
    /// fetch of the first one as completed. The last page of a listing also closes it.
    ///
    /// - Returns: the counters of each page, and the newest request of the resource; see ``Page/requestedAfter``.
    /// - Throws: ``StoreError/Kind/leaseLost`` if another run took over, ``StoreError/Kind/contract`` if a page violates the
    ///   contract; then nothing changes.
    func save(
        _ pages: [ListedPage], in open: OpenListing
    ) async throws(StoreError) -> (counters: [RunCounters], newest: Int64) {
        for listed in pages { try await probes.willCommit(listed.page.request.number) }
        let known = memberSets.known(of: open.resource)
        let saved = try await write(under: open.lease) { queue, transaction in
            guard var table = try RecordsTable.load(named: open.resource, transaction) else {
                throw StoreError(
                    .notFound, "the resource '\(open.resource)' was never opened, or was forgotten meanwhile",
                    hint: "run 'siding sync \(open.resource)'")
            }
            var (counters, newMemberSets, known, open) = ([RunCounters](), Set<UInt64>(), known, open)
            var hasHidden = false
            for listed in pages {
                var saver = PageSaver(listed: listed, open: open, queue: queue, table: table)
                let saved = try saver.save(transaction, knownMemberSets: known)
                (table, hasHidden) = (saver.table, hasHidden || saver.hasHidden)
                counters.append(saved.counters)
                newMemberSets.formUnion(saved.newMemberSets)
                known.formUnion(saved.newMemberSets)
                open = open.afterFirstPage
            }
            let total = counters.reduce(into: RunCounters()) { $0 += $1 }
            try RunResourcesTable.add(total, to: open.resource, in: open.run, transaction)
            return (
                counters: counters, newest: table.row.requests, newMemberSets: newMemberSets, hasHidden: hasHidden
            )
        }
        // Only after the commit: member sets of a page that was rolled back would hide its columns.
        memberSets.add(saved.newMemberSets, to: open.resource)
        let hasChanged = saved.counters.contains { $0.inserted + $0.updated + $0.deleted > 0 }
        if hasChanged || saved.hasHidden { changeSignal.fire() }
        return (saved.counters, saved.newest)
    }
}
