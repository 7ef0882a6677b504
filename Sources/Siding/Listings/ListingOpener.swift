// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Opens a listing inside a transaction: at its retained fetch, at its checkpoint, or at the first page.
struct ListingOpener {
    let opening: ListingOpening
    let queue: QueueTransitions
    /// What stored bodies have, where the schema needs it.
    var members: StoredMembers?
    private var now: Timestamp { queue.now }

    func open(_ transaction: borrowing Transaction) throws -> ListingPosition {
        if opening.isAdHoc { return try openAdHoc(transaction) }
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
        position.counters = resource.counters
        return position
    }

    private func startOrGoOn(
        _ resource: Int64, _ changed: [DefinitionAspect], _ transaction: borrowing Transaction
    ) throws -> ListingPosition {
        let scope = opening.first.scope
        let decision = ListingDecision(
            opening, try ListingsTable.load(resource, scope: scope, transaction),
            try OutboxTable.openFetch(of: opening.resource, scope: scope, transaction), changed: changed, now: now)
        // What was found at the other address is no cursor for this one.
        if decision.isElsewhere { try CursorsTable.forget(resource, scope: opening.first.scope, transaction) }
        // A page of a listing that ended elsewhere goes with it.
        let dropping =
            decision.start.dropping ?? (decision.isElsewhere ? ListingStart.first(.elsewhere).dropping : nil)
        if let dropping { try discard(resource, dropping, transaction) }
        if case .first(let cause) = decision.start {
            var position = try begin(resource, transaction)
            // Whoever asked for it knows.
            if cause != .asked { position.droppedCheckpoint = decision.start.dropping }
            return position
        }
        guard var position = decision.unfinished else { return try begin(resource, transaction) }
        try saveParent(of: resource, isNew: false, transaction)
        guard let entry = decision.entry else { return position }
        position.isResumed = true
        position.partial = try OutboxRequestsTable.partial(entry.id, transaction)
        let claimed = try queue.claim(entry, transaction)
        if claimed.state == .sending { position.entry = claimed } else { position.blockedBy = claimed }
        return position
    }

    /// Opens an ad-hoc listing. It registers an unknown resource, and leaves all else as it is.
    private func openAdHoc(_ transaction: borrowing Transaction) throws -> ListingPosition {
        let known = try ResourcesTable.id(of: opening.resource, transaction)
        if known == nil { _ = try registerResource(transaction) }
        return ListingPosition(listing: 0, page: opening.first, isResumed: false)
    }

    /// Ends the open listing as incomplete, and begins a new one at the first page.
    func restart(because reason: String, _ transaction: borrowing Transaction) throws -> ListingPosition {
        let resource = try registerResource(transaction)
        try discard(resource.id, reason, transaction)
        // The stored next page is the one that the origin refused: a 304 must not lead there again.
        try PagesTable.delete(resource.id, scope: opening.first.scope, transaction)
        try ResourcesTable.setPagesChanged(resource.id, transaction)
        if opening.forgetsCursor {
            try CursorsTable.forget(resource.id, scope: opening.first.scope, transaction)
        }
        var position = try begin(resource.id, transaction)
        position.droppedCheckpoint = reason
        return position
    }

    // MARK: The resource and its definition

    /// Inserts the resource's row, or updates its definition, source and record schema.
    func registerResource(
        _ transaction: borrowing Transaction
    ) throws -> (id: Int64, changedAspects: [DefinitionAspect], counters: RunCounters) {
        let found = try RecordsTable.load(named: opening.resource, transaction)
        let row =
            try found?.row
            ?? ResourceRegistration.insert(opening.resource, source: opening.source, opening.definition, transaction)
        let id = row.id
        var changed: [DefinitionAspect] = []
        if let found {
            changed = opening.definition.differences(from: found.row.definition)
            if !changed.isEmpty { try redefine(found, changed, transaction) }
            if found.row.source != opening.source { try rename(id, changed, transaction) }
        }
        let schema = DeclaredSchema(row: row, run: opening.run, members: members)
        var counters = RunCounters()
        counters.deleted = try schema.apply(opening.schema, now: now, transaction)
        try RunResourcesTable.add(counters, to: opening.resource, in: opening.run, transaction)
        try schema.apply(parent: opening.parent?.resource, transaction)
        if opening.isWritten { try ResourceView.addPendingColumn(to: opening.resource, transaction) }
        return (id, changed, counters)
    }

    /// A table without records is dropped with the type of its keys. Records under two keys would show twice.
    private func leaveKey(_ table: RecordsTable, _ transaction: borrowing Transaction) throws {
        let count = try table.count(transaction)
        guard count.living + count.deleted == 0 else {
            throw StoreError(
                .contract, "the key of '\(opening.resource)' changed, and its records are stored under the old one",
                hint: "'siding records forget \(opening.resource)' removes them")
        }
        try table.drop(transaction)
    }

    /// Validators and checkpoints belong to the old definition.
    private func redefine(
        _ table: RecordsTable, _ changed: [DefinitionAspect], _ transaction: borrowing Transaction
    ) throws {
        let resource = table.resource
        if changed.contains(.key) { try leaveKey(table, transaction) }
        try ResourcesTable.set(definition: opening.definition, of: resource, transaction)
        if changed.contains(.key) { try ResourceView.remake(opening.resource, transaction) }
        try DeletionReconciliation.startOver(resource, transaction)
        try PagesTable.delete(resource, scope: nil, transaction)
        try CursorsTable.forget(resource, transaction)
        try PassesTable.forget(resource, transaction)
        try ResourcesTable.set(allListedAt: nil, of: resource, transaction)
    }

    /// Applies a new name of the source to its queue entries. Edits follow only if origin and account are the same: nobody
    /// decided to send them elsewhere.
    private func rename(_ resource: Int64, _ changed: [DefinitionAspect], _ transaction: borrowing Transaction) throws {
        try ResourcesTable.set(source: opening.source, of: resource, transaction)
        let isSameOrigin = Set(changed).isDisjoint(with: [.baseURL, .auth, .headers])
        try OutboxTable.setSource(
            opening.source, ofResource: opening.resource, includesWrites: isSameOrigin, transaction)
    }

    // MARK: Old checkpoints

    /// Ends the open listing of this parent as incomplete, and supersedes its retained fetch.
    private func discard(_ resource: Int64, _ reason: String, _ transaction: borrowing Transaction) throws {
        try ListingsTable.end(resource, scope: opening.first.scope, transaction)
        if let entry = try OutboxTable.openFetch(of: opening.resource, scope: opening.first.scope, transaction) {
            try queue.complete([entry.id], as: .done, event: .superseded, detail: reason, transaction)
        }
    }

    /// Ends all open listings of a resource as incomplete, and supersedes their retained fetches.
    static func discardAll(
        of resource: Int64, named name: String, because reason: String, _ queue: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws {
        try ListingsTable.end(resource, scope: nil, transaction)
        for entry in try OutboxTable.openFetches(of: name, transaction) {
            try queue.complete([entry.id], as: .done, event: .superseded, detail: reason, transaction)
        }
    }

    // MARK: Rows of listings

    @discardableResult
    func begin(_ resource: Int64, _ transaction: borrowing Transaction) throws -> ListingPosition {
        let listing = try ListingsTable.begin(opening, of: resource, now: now, transaction)
        try saveParent(of: resource, isNew: true, transaction)
        return ListingPosition(listing: listing, page: opening.first, isResumed: false, cursor: opening.cursor)
    }

    private func saveParent(of resource: Int64, isNew: Bool, _ transaction: borrowing Transaction) throws {
        guard let parent = opening.parent else { return }
        // Nobody requested the changes between the cursor and the start of such a listing, so the parent stays due.
        try ListingsTable.set(
            parent, of: resource, scope: opening.first.scope, takesRevision: isNew && !opening.cursor.isPassing,
            transaction)
    }
}
