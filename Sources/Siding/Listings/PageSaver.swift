// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Saves one page inside a transaction: its records and its listing's progress.
struct PageSaver {
    let listed: ListedPage
    let open: OpenListing
    let queue: QueueTransitions
    /// The resource, with what saving pages changes of it in this transaction; see ``RecordSaver/table``.
    private(set) var table: RecordsTable
    /// Whether records left the view that no counter counts; see ``UnnamedCreates``.
    private(set) var hasHidden = false
    private var page: Page { listed.page }
    private var resource: Int64 { table.resource }
    private var now: Timestamp { queue.now }

    mutating func save(
        _ transaction: borrowing Transaction, knownMemberSets: Set<UInt64>
    ) throws -> (counters: RunCounters, newMemberSets: Set<UInt64>) {
        if let (opening, moment) = open.unopened {
            try ListingOpener(opening: opening, queue: QueueTransitions(owner: queue.owner, now: moment))
                .begin(resource, transaction)
        }
        let content = try saveContent(knownMemberSets, transaction)
        var (counters, shown) = (content.counters, content.shown)
        counters.pages = 1
        counters.requests = page.requests
        counters.bytes = page.bytes
        // An answer without a list is no evidence of missing records.
        if page.hasNoList { shown?.hasUnknown = true }
        if !open.isAdHoc {
            var listed = listed
            // A 304 would confirm what was not saved or will not stay.
            if content.isOvertaken || content.hasSharedKeys {
                (listed.page.etag, listed.page.lastModified) = (nil, nil)
            }
            try move(listed, transaction)
            if page.hasNoList { try set(allListedAt: nil, transaction) }
        }
        if let shown {
            try pageMembers.replace(with: shown, isStored: !open.isAdHoc, transaction)
        }
        // First, so that they do not count as missing.
        if isLast, let listing = try ListingsTable.load(resource, scope: "", transaction) {
            hasHidden = try UnnamedCreates(table: table)
                .hide(deliveredBefore: listing.startedAt, now: now, transaction)
        }
        if !open.isAdHoc, listed.step == .end { counters += try complete(transaction) }
        if isLast {
            counters += try NullFilteredRecords(table: table)
                .reconcile(open.deletions, run: open.run, now: now, revision: table.row.revision + 1, transaction)
        }
        if let entry = open.completes {
            try queue.complete([entry], as: .done, event: .answered, detail: nil, transaction)
        }
        return (counters, content.newMemberSets)
    }

    // MARK: Records

    private struct SavedContent {
        var counters = RunCounters()
        /// What the page shows; nil if it shows the same as before.
        var shown: PageMembers.Shown?
        var newMemberSets: Set<UInt64> = []
        /// See ``RecordSaver/Saved/isOvertaken``.
        var isOvertaken = false
        /// See ``RecordSaver/Saved/hasSharedKeys``.
        var hasSharedKeys = false
    }

    private mutating func saveContent(
        _ knownMemberSets: Set<UInt64>, _ transaction: borrowing Transaction
    ) throws -> SavedContent {
        let schema = try table.row.schema
        var content = SavedContent()
        switch page.content {
        case .notModified: content.counters.notModified = 1
        case .setAside(let answer, let reason):
            var quarantine = quarantine
            let dropped = DroppedMembers(MemberRemoval(schema.transforms.dropped))
            try quarantine.add(answer: dropped.removed(from: answer), reason, transaction)
            (content.counters.quarantined, content.counters.answersQuarantined) = (1, 1)
            content.shown = PageMembers.Shown(hasUnknown: true)
        case .records(let bytes, let slices):
            let saved = try save(slices, of: bytes, schema, transaction)
            (content.counters, content.shown, content.isOvertaken) = (saved.counters, saved.shown, saved.isOvertaken)
            content.hasSharedKeys = saved.hasSharedKeys
            let unsaved = saved.refused.union(saved.leftOut)
            if saved.isOvertaken {
                // A cursor would pass what was not saved or will not stay.
                try ListingsTable.holdCursor(of: resource, scope: page.request.scope, transaction)
            } else if page.isOneRecord, unsaved.isEmpty {
                try saveETag(of: slices, in: bytes, transaction)
            }
            try forgetOtherPages(showing: saved.rewritten, transaction)
            // Records that were not saved add no columns.
            let kept =
                unsaved.isEmpty ? slices : slices.enumerated().filter { !unsaved.contains($0.offset) }.map(\.element)
            content.newMemberSets = try ColumnInference(
                resource: resource, name: open.resource, run: open.run, schema: schema
            ).addColumns(of: kept, in: bytes, knownMemberSets: knownMemberSets, transaction)
        }
        return content
    }

    /// Has pages asked for whole that show a record as it was before this page: a 304 would confirm them for ever. A record that this
    /// page showed before, too, is seldom on another one.
    private func forgetOtherPages(showing rewritten: [Int64], _ transaction: borrowing Transaction) throws {
        // A listing of changes has other pages each time, and leaves the validators of a whole one unused.
        guard !rewritten.isEmpty, open.isAdHoc || listed.cursor?.from == nil else { return }
        var ids = RowIDs(rewritten)
        if !open.isAdHoc {
            let members = try PagesTable.members(of: pageMembers, transaction)
            ids = ids.subtracting(members ?? RowIDs([]))
        }
        try PageValidators(resource: resource).forget(showing: ids.ids, transaction)
    }

    private var pageMembers: PageMembers {
        PageMembers(
            resource: resource, scope: page.request.scope, url: page.request.url.description,
            sent: page.request.body ?? "")
    }

    /// Saves the entity tag of a page that is one record as the record's own.
    private func saveETag(
        of slices: [RecordSlice], in bytes: [UInt8], _ transaction: borrowing Transaction
    ) throws {
        guard let etag = page.etag, case .key(let key)? = slices.first?.outcome else { return }
        let text = bytes.withUnsafeBytes { key.text(in: $0) }
        try table.setETag(etag, of: text, transaction)
        try ServerCopiesTable.setETag(etag, of: text, in: resource, transaction)
    }

    private mutating func save(
        _ slices: [RecordSlice], of bytes: [UInt8], _ schema: RecordSchema, _ transaction: borrowing Transaction
    ) throws -> RecordSaver.Saved {
        let request = table.row.requests + 1
        var saver = RecordSaver(
            table: table, contract: schema, filter: open.schema ?? schema, run: open.run, now: now, transitions: queue,
            mark: open.deletions.rule.mark, paths: open.columns, scope: page.request.scope, request: request,
            requestedAfter: page.requestedAfter)
        var quarantine = quarantine
        return try bytes.withUnsafeBytes { page in
            let saved = try saver.save(slices, of: page, transaction) { slice, breach in
                try quarantine.add(slice, breach, page, transaction)
            }
            table = saver.table
            if saved.isWritten {
                table.row.requests = request
                try ProvenanceTable.insert(
                    RequestRow(self.page, in: open, at: now), as: request, of: resource, transaction)
            }
            if !self.page.request.scope.isEmpty {
                try RecordScopes(table: table, scope: self.page.request.scope)
                    .save(slices, except: saved.refused, in: page, transaction)
            }
            try quarantine.forgetTheRest(transaction)
            try quarantine.forget(slices, except: saved.refused, of: page, transaction)
            return saved
        }
    }

    private var quarantine: PageQuarantine {
        PageQuarantine(
            resource: resource, run: open.run, scope: page.request.scope, url: page.request.url.description,
            sent: page.request.body ?? "", now: now, isPartial: isPartial, isOfChanges: isOfChanges)
    }

    /// Whether the listing covers only some of the records: it has a limit, or requests only changes.
    private var isPartial: Bool {
        guard !open.isAdHoc else { return true }
        switch listed.step {
        case .incomplete, .stopped, .ignored: return true
        case .page, .end: return listed.cursor?.from != nil
        }
    }

    /// Whether the resource has a cursor.
    private var isOfChanges: Bool { !open.isAdHoc && listed.cursor != nil }

    // MARK: Validators, checkpoint, and the end of the listing

    private func move(_ listed: ListedPage, _ transaction: borrowing Transaction) throws {
        // The row of an unchanged page is not written again, so that a listing that changed nothing writes next to nothing.
        let scope = page.request.scope
        let wasUnchanged = try ListingsTable.isUnchanged(resource, scope: scope, transaction)
        if !wasUnchanged || !listed.repeatsRow {
            if wasUnchanged { try showPages(transaction) }
            try PagesTable.save(listed, of: resource, listing: open.number, now: now, transaction)
        }
        guard try ListingsTable.advance(open.number, of: resource, by: listed, now: now, transaction) else {
            throw StoreError(
                .leaseLost, "the listing of '\(open.resource)' was restarted by another run",
                hint: "nothing is lost: the other run continues it")
        }
        if listed.asksWholeNext {
            try PageValidators(resource: resource).forget(scope: page.request.scope, transaction)
        }
        if var cursor = listed.cursor {
            // A cursor that is taken back returns to where it was before the listing.
            if !cursor.takesBack, cursor.moved != nil,
                try ListingsTable.load(resource, scope: page.request.scope, transaction)?.holdsCursor == true
            {
                cursor.moved = nil
            }
            try CursorsTable.move(
                cursor, of: resource, scope: page.request.scope, listing: open.number, now: now, transaction)
        }
    }

    /// Counts the rows of the unchanged pages up to this one as pages of this listing.
    private func showPages(_ transaction: borrowing Transaction) throws {
        if page.request.address != open.first.address {
            try PagesTable.setShown(
                from: open.first, to: page.request, by: open.number, of: resource, transaction)
        }
        try ListingsTable.setChanged(resource, scope: page.request.scope, transaction)
    }

    /// Whether the page ends the resource's only listing, complete or not.
    private var isLast: Bool {
        page.request.scope.isEmpty && !open.isAdHoc && listed.step.next == nil
    }

    /// Ends a complete listing: deletes the rows of pages it did not show, as their tokens will not come back.
    ///
    /// - Returns: the numbers of deleted records and blocked deletions.
    private mutating func complete(_ transaction: borrowing Transaction) throws -> RunCounters {
        let scope = page.request.scope
        // Every row is a page of an unchanged listing, unless a listing before it ended half-way.
        if try ListingsTable.isUnchanged(resource, scope: scope, transaction),
            try PagesTable.countShown(from: open.first, to: page.request, of: resource, transaction)
                != PagesTable.count(of: resource, scope: scope, transaction)
        {
            try PagesTable.setShown(
                from: open.first, to: page.request, by: open.number, of: resource, transaction)
            try ListingsTable.setChanged(resource, scope: scope, transaction)
        }
        if try !ListingsTable.isUnchanged(resource, scope: scope, transaction),
            try PagesTable.deleteOthers(than: open.number, of: resource, scope: scope, transaction)
        {
            try ResourcesTable.setPagesChanged(resource, transaction)
        }
        try PageQuarantine.forgetOtherPages(resource, scope: scope, isOfChanges: isOfChanges, transaction)
        // No listing covers the changes between the cursor and the beginning of one that passes it.
        if scope.isEmpty, let listing = try ListingsTable.load(resource, scope: scope, transaction),
            !listing.cursor.isPassing || listing.holdsCursor
        {
            try ResourcesTable.setCompleted(
                open.run, at: now, listed.freshness, of: resource, transaction)
            // Whether it asked for every record, or for all that changed since one did.
            let isOfAll =
                try listing.cursor.from == nil
                ? PagesTable.unknownListings(of: resource, transaction) == 0 : table.row.allListedAt != nil
            if isOfAll { try set(allListedAt: now, transaction) }
            try ProvenanceTable.removeUnused(of: table, transaction)
        }
        guard open.deletions.rule.byAbsence else {
            try DeletionReconciliation.startOver(resource, transaction)
            if scope.isEmpty { try reconciliation(transaction).countUnlisted(transaction) }
            return RunCounters()
        }
        if table.row.unlisted > 0 { try ResourcesTable.set(unlisted: 0, of: resource, transaction) }
        // A record missing from one parent's listing may be in another's: the end of the fan-out pass decides.
        guard scope.isEmpty else {
            try PageValidators(resource: resource).forgetUnknown(scope: scope, transaction)
            return RunCounters()
        }
        return try reconciliation(transaction).reconcileListing(
            hasLostNext: page.lostNext, hasShrunk: listed.hasShrunk, transaction)
    }

    private func reconciliation(_ transaction: borrowing Transaction) throws -> DeletionReconciliation {
        // Read anew: whether records are to be reconciled depends on the revision, and on pages that changed.
        try DeletionReconciliation(
            table: Store.records(of: open.resource, transaction), run: open.run, now: now,
            revision: table.row.revision + 1, terms: open.deletions)
    }

    private mutating func set(allListedAt moment: Timestamp?, _ transaction: borrowing Transaction) throws {
        table.row.allListedAt = moment
        try ResourcesTable.set(allListedAt: moment, of: resource, transaction)
    }
}

extension RequestRow {
    /// The request of the page being saved.
    fileprivate init(_ page: Page, in open: OpenListing, at now: Timestamp) {
        let request = page.request
        self.init(
            cause: .page, run: open.run, method: open.method, url: page.answeredAt ?? request.url.description,
            page: request.number, status: page.status, etag: page.etag, lastModified: page.lastModified, at: now,
            scope: request.scope, sent: request.body ?? "")
    }
}
