internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Saves one page inside a transaction: its records, its listing's progress and its counters.
struct PageSaver {
    let page: PageCommit
    let queue: QueueTransitions
    private var now: Timestamp { queue.now }

    func save(
        _ transaction: borrowing Transaction, knownMemberSets: Set<UInt64>
    ) throws -> (counters: RunCounters, newMemberSets: Set<UInt64>) {
        guard let resource = try ResourcesTable.load(named: page.resource, transaction) else {
            throw StoreError(
                .notFound, "the resource '\(page.resource)' was never opened, or was forgotten meanwhile",
                hint: "run 'siding sync \(page.resource)'")
        }
        if let (opening, moment) = page.unopened {
            try ListingOpener(opening: opening, queue: QueueTransitions(owner: queue.owner, now: moment))
                .begin(resource.id, transaction)
        }
        let content = try saveContent(of: resource, knownMemberSets, transaction)
        var (counters, shown, page) = (content.counters, content.shown, page)
        // A 304 would confirm what was not saved or will not stay.
        if content.isOvertaken { (page.etag, page.lastModified) = (nil, nil) }
        counters.pages = 1
        counters.requests = page.requests
        counters.bytes = page.bytes
        // An answer without a list is no evidence of missing records.
        if page.hasNoList { shown?.hasUnknown = true }
        if let progress = page.progress {
            try move(resource.id, page, progress, transaction)
            if page.hasNoList { try ResourcesTable.set(allListedAt: nil, of: resource.id, transaction) }
        }
        if let shown {
            try PageMembers(
                resource: resource.id, scope: page.page.scope, url: page.page.url.description,
                sent: page.page.body ?? ""
            ).replace(with: shown, isStored: page.progress != nil, transaction)
        }
        if page.progress?.next == .end { counters += try complete(resource, transaction) }
        if isLast {
            counters += try NullFilteredRecords(resource: resource)
                .reconcile(page.deletions, run: page.run, now: now, transaction)
        }
        if let entry = page.completes {
            try queue.complete([entry], as: .done, event: .answered, detail: nil, transaction)
        }
        try RunResourcesTable.add(counters, to: page.resource, in: page.run, transaction)
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
    }

    private func saveContent(
        of resource: ResourceRow, _ knownMemberSets: Set<UInt64>, _ transaction: borrowing Transaction
    ) throws -> SavedContent {
        let schema = try resource.schema
        var content = SavedContent()
        switch page.content {
        case .notModified: content.counters.notModified = 1
        case .setAside(let answer, let reason):
            var quarantine = quarantine(resource.id)
            let dropped = DroppedMembers(MemberRemoval(schema.transforms.dropped))
            try quarantine.add(answer: dropped.removed(from: answer), reason, transaction)
            (content.counters.quarantined, content.counters.answersQuarantined) = (1, 1)
            content.shown = PageMembers.Shown(hasUnknown: true)
        case .records(let bytes, let slices):
            let saved = try save(slices, of: bytes, resource, schema, transaction)
            (content.counters, content.shown, content.isOvertaken) = (saved.counters, saved.shown, saved.isOvertaken)
            let unsaved = saved.refused.union(saved.leftOut)
            if saved.isOvertaken {
                // A cursor would pass what was not saved or will not stay.
                try ListingsTable.holdCursor(of: resource.id, scope: page.page.scope, transaction)
            } else if page.isOneRecord, unsaved.isEmpty {
                try saveETag(of: slices, in: bytes, resource.id, transaction)
            }
            if page.progress == nil {
                try PageValidators(resource: resource.id).forget(showing: saved.rewritten, transaction)
            }
            // Records that were not saved add no columns.
            let kept =
                unsaved.isEmpty ? slices : slices.enumerated().filter { !unsaved.contains($0.offset) }.map(\.element)
            content.newMemberSets = try ColumnInference(
                resource: resource.id, name: page.resource, run: page.run, schema: schema
            ).addColumns(of: kept, in: bytes, knownMemberSets: knownMemberSets, transaction)
        }
        return content
    }

    /// Saves the entity tag of a page that is one record as the record's own.
    private func saveETag(
        of slices: [RecordSlice], in bytes: [UInt8], _ resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        guard let etag = page.etag, case .key(let key)? = slices.first?.outcome else { return }
        let text = bytes.withUnsafeBytes { key.text(in: $0) }
        try RecordsTable.load(resource, transaction).setETag(etag, of: text, transaction)
        try ServerCopiesTable.setETag(etag, of: text, in: resource, transaction)
    }

    private func save(
        _ slices: [RecordSlice], of bytes: [UInt8], _ resource: ResourceRow, _ schema: RecordSchema,
        _ transaction: borrowing Transaction
    ) throws -> RecordSaver.Saved {
        let request = try ProvenanceTable.nextID(transaction)
        var saver = RecordSaver(
            row: resource, contract: schema, filter: page.schema ?? schema, run: page.run, now: now,
            incoming: try IncomingChanges.load(
                resource, run: page.run, now: now, transitions: queue, request: request,
                requestedAfter: page.requestedAfter, transaction),
            mark: page.deletions.rule.mark, paths: page.columns, request: request, requestedAfter: page.requestedAfter)
        var quarantine = quarantine(resource.id)
        return try bytes.withUnsafeBytes { page in
            let saved = try saver.save(slices, of: page, transaction) { slice, breach in
                try quarantine.add(slice, breach, page, transaction)
            }
            if saved.isWritten {
                try ProvenanceTable.insert(
                    RequestRow(page: self.page, at: now), as: request, of: resource.id, transaction)
            }
            if !self.page.page.scope.isEmpty {
                try RecordScopes(resource: resource.id, scope: self.page.page.scope, revision: resource.revision + 1)
                    .save(slices, except: saved.refused, in: page, transaction)
            }
            try quarantine.forgetTheRest(transaction)
            try quarantine.forget(slices, except: saved.refused, of: page, transaction)
            return saved
        }
    }

    private func quarantine(_ resource: Int64) -> PageQuarantine {
        PageQuarantine(
            resource: resource, run: page.run, scope: page.page.scope, url: page.page.url.description,
            sent: page.page.body ?? "", now: now, isPartial: isPartial, isOfChanges: isOfChanges)
    }

    /// Whether the listing covers only some of the records: it has a limit, or requests only changes.
    private var isPartial: Bool {
        guard let progress = page.progress else { return true }
        switch progress.next {
        case .cut, .stopped: return true
        case .page, .end: return progress.cursor?.from != nil
        }
    }

    /// Whether the resource has a cursor.
    private var isOfChanges: Bool { page.progress?.cursor != nil }

    // MARK: Validators, checkpoint, and the end of the listing

    private func move(
        _ resource: Int64, _ page: PageCommit, _ progress: PageCommit.Progress, _ transaction: borrowing Transaction
    ) throws {
        var next: PageRequest?
        if case .page(let following) = progress.next { next = following }
        try PagesTable.save(page, progress, next: next, of: resource, now: now, transaction)
        guard try ListingsTable.advance(page, progress, to: next, of: resource, now: now, transaction) else {
            throw StoreError(
                .leaseLost, "the listing of '\(page.resource)' was restarted by another run",
                hint: "nothing is lost: the other run goes on with it")
        }
        if progress.asksWholeNext { try PageValidators(resource: resource).forget(scope: page.page.scope, transaction) }
        if var cursor = progress.cursor {
            // A cursor that is taken back returns to where it was before the listing.
            if !cursor.takesBack, cursor.moved != nil,
                try ListingsTable.load(resource, scope: page.page.scope, transaction)?.holdsCursor == true
            {
                cursor.moved = nil
            }
            try CursorsTable.move(
                cursor, of: resource, scope: page.page.scope, listing: page.listing, now: now, transaction)
        }
    }

    /// Whether the page ends the resource's only listing, complete or not.
    private var isLast: Bool {
        guard page.page.scope.isEmpty, let progress = page.progress else { return false }
        if case .page = progress.next { return false }
        return true
    }

    /// Ends a complete listing: deletes the rows of pages it did not show, as their tokens will not come back.
    ///
    /// - Returns: the numbers of deleted records and blocked deletions.
    private func complete(_ row: ResourceRow, _ transaction: borrowing Transaction) throws -> RunCounters {
        let (resource, scope) = (row.id, page.page.scope)
        if try PagesTable.deleteOthers(than: page.listing, of: resource, scope: scope, transaction) {
            try ResourcesTable.setPagesChanged(resource, transaction)
        }
        try PageQuarantine.forgetOtherPages(resource, scope: scope, isOfChanges: isOfChanges, transaction)
        // No listing covers the changes between the cursor and the beginning of one that passes it.
        if scope.isEmpty, let listing = try ListingsTable.load(resource, scope: scope, transaction),
            !listing.cursor.isPassing || listing.holdsCursor
        {
            try ResourcesTable.setCompleted(
                page.run, at: now, page.progress?.freshness ?? ListingFreshness(), of: resource, transaction)
            // Whether it asked for every record, or for all that changed since one did.
            let isOfAll =
                try listing.cursor.from == nil
                ? PagesTable.unknownListings(of: resource, transaction) == 0
                : ResourcesTable.load(resource, transaction)?.allListedAt != nil
            if isOfAll { try ResourcesTable.set(allListedAt: now, of: resource, transaction) }
            try ProvenanceTable.removeUnused(of: resource, transaction)
        }
        guard page.deletions.rule.byAbsence else {
            try DeletionReconciliation.startOver(resource, transaction)
            return RunCounters()
        }
        // A record missing from one parent's listing may be in another's: the end of the fan-out pass decides.
        guard scope.isEmpty else {
            try PageValidators(resource: resource).forgetUnknown(scope: scope, transaction)
            return RunCounters()
        }
        return try DeletionReconciliation(
            resource: resource, run: page.run, now: now, revision: row.revision + 1, terms: page.deletions
        ).reconcileListing(hasLostNext: page.progress?.lostNext ?? false, transaction)
    }
}

extension RequestRow {
    /// The request of the page being saved.
    fileprivate init(page commit: PageCommit, at now: Timestamp) {
        let page = commit.page
        self.init(
            cause: .page, run: commit.run, method: commit.method, url: commit.answeredAt ?? page.url.description,
            page: page.number, status: commit.status, etag: commit.etag, lastModified: commit.lastModified, at: now,
            scope: page.scope, sent: page.body ?? "")
    }
}
