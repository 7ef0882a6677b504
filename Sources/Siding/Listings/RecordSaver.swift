// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Saves the records of a page: compares each with the stored one, then inserts, updates, or writes nothing.
///
/// Comparing first is cheaper than an upsert, and keeps the WAL unchanged if nothing changed. Bodies are bound from the page
/// without a copy.
struct RecordSaver {
    /// The resource, with what saving changes of it: the type of the keys, the layout, and whether the filter was NULL.
    /// Its revision is that of before the transaction: all pages of one write at the next.
    private(set) var table: RecordsTable
    /// The stored record schema, whose contract the records must keep.
    let contract: RecordSchema
    /// The record schema whose filter (`where`) applies, and whose columns that may name. Where it is not the stored filter,
    /// stored records that it excludes stay.
    let filter: RecordSchema
    let run: RunID
    let now: Timestamp
    /// Nil where no edit can conflict with the records.
    var transitions: QueueTransitions?
    /// The member that marks deleted records; nil if there is none.
    let mark: DeletionMark?
    /// The paths of the values that come with the records; see `RecordSlice.columns`.
    var paths: [JSONPath] = []
    /// What brought the records: a page, or the quarantine.
    var cause = RecordCause.page
    /// The key of the parent whose listing shows the records; empty if the resource has a single listing.
    var scope = ""
    /// Whether an operator named the record, and so decides where the listings of two parents do not.
    var isNamed = false
    /// The row of the request; the caller inserts it if a record was written.
    let request: Int64
    /// See ``Page/requestedAfter``.
    var requestedAfter: Int64?
    /// Checks the contract; nil if it has no rules for members.
    var check: ContractCheck?
    /// Saves records with pending edits; nil if no record of the resource has any.
    var incoming: IncomingChanges?

    /// The result of saving a page.
    struct Saved {
        var counters = RunCounters()
        var shown = PageMembers.Shown()
        /// The rows of live records that were deleted.
        var deleted: [Int64] = []
        /// The rows that earlier pages may have shown differently: updated, restored or deleted, or with pending edits.
        var rewritten: [Int64] = []
        /// The indexes of the records that were not saved.
        var refused: Set<Int> = []
        /// The indexes of filtered-out records that were not stored before, or stay unchanged.
        var leftOut: Set<Int> = []
        /// Whether the filter is NULL for a live record.
        var hasNullFiltered = false
        /// Whether the next listing has to show a record again: an own write of it was delivered since the page was requested, or is
        /// under way or in doubt.
        var isOvertaken = false
        /// Whether a record was refused as it has the key of another parent's record.
        var hasSharedKeys = false
        /// Whether new records were inserted as tombstones.
        var hasDead = false

        /// Whether a record's row was written.
        var isWritten: Bool { counters.changed > 0 || hasDead }
    }

    /// Saves the records of a page; `refuse` receives those that break the contract.
    ///
    /// - Throws: ``StoreError/Kind/contract`` if the contract then rejects the whole page, and the errors of `refuse`.
    mutating func save(
        _ slices: [RecordSlice], of page: UnsafeRawBufferPointer, _ transaction: borrowing Transaction,
        refuse: (RecordSlice, ContractBreach) throws -> Void
    ) throws -> Saved {
        let superseded = DuplicateKeys.superseded(in: slices, page)
        var saved = Saved()
        saved.counters.duplicates = superseded.count
        let keys = slices.lazy.compactMap { slice in if case .key(let key) = slice.outcome { key } else { nil } }
        // The first record that has a key fixes the type of all.
        let type = table.keyType ?? keys.first?.kind
        let (resource, revision) = (table.resource, table.row.revision + 1)
        check = try ContractCheck.load(contract, of: resource, isGrown: table.row.completedAt != nil, transaction)
        if let type { table = try table.made(for: keys, of: type, in: page, transaction) }
        guard table.layout != nil else {
            // No record of the page can be saved, and none was before.
            for (index, slice) in slices.enumerated() where !superseded.contains(index) {
                let body = UnsafeRawBufferPointer(rebasing: page[slice.range])
                guard let breach = breach(of: slice, body, type) else { continue }
                try set(aside: slice, at: index, breach, row: nil, &saved, refuse)
            }
            return saved
        }
        let overtaken = try OvertakenPage.load(
            of: table.resourceName, requestedAfter: requestedAfter, now: now, transaction)
        var statements = try RecordStatements(
            transaction, table: table, run: run, now: now, revision: revision, request: request, columns: paths,
            isOvertaken: overtaken?.shows)
        // With the layout for all keys.
        incoming = try IncomingChanges.load(
            of: table, run: run, now: now, transitions: transitions, request: request, page: overtaken, transaction)
        var others = try OtherParents.load(of: table, beside: scope, isNamed: isNamed, transaction)
        let test = try filter.transforms.condition.map {
            try RecordCondition($0, beside: filter.columns, transaction)
        }
        let isOtherCondition = filter.hasOtherCondition(than: contract)
        for (index, slice) in slices.enumerated() where !superseded.contains(index) {
            let body = UnsafeRawBufferPointer(rebasing: page[slice.range])
            let result = try Self.filterResult(slice, body, page, test)
            let stored = result == .matches ? nil : try stored(slice, page, type, &statements)
            // Filtered-out records are not checked against the contract.
            let breach = result == .matches ? breach(of: slice, body, type) : nil
            switch disposition(of: slice, body, result, stored, breach, isOtherCondition: isOtherCondition) {
            case .leaveOut(let row):
                saved.leftOut.insert(index)
                // The page contains the record even if it stays unchanged.
                if let row { saved.shown.ids.append(row) }
            case .quarantine(let breach):
                var row: Int64?
                if case .key(let key) = slice.outcome {
                    row = try key.withBytes(in: page) { try statements.row(of: $0) }
                }
                try set(aside: slice, at: index, breach, row: row, &saved, refuse)
            case .save(let key, let cause, let isDeleted, let isNullFiltered):
                let holder = try key.withBytes(in: page) { try others?.holder(of: $0, unlike: body, transaction) }
                if let holder {
                    saved.hasSharedKeys = true
                    let breach = ContractBreach(holder, key: key.text(in: page), scope: scope)
                    try set(aside: slice, at: index, breach, row: holder.row, &saved, refuse)
                    continue
                }
                if isNullFiltered { saved.hasNullFiltered = true }
                try key.withBytes(in: page) { text in
                    let change = try statements.save(
                        key: text, body: body, values: slice.columns, cause: cause, isDeleted: isDeleted,
                        through: incoming, transaction)
                    try add(change, of: text, to: &saved, &statements, transaction)
                }
            }
        }
        if saved.isWritten { try ResourcesTable.raise(revision: revision, of: resource, transaction) }
        try TombstonesTable.insert(saved.deleted, of: resource, run: run, now: now, transaction)
        if saved.hasNullFiltered {
            table.row.hasNullFiltered = true
            try ResourcesTable.set(hasNullFiltered: true, of: resource, transaction)
        }
        try check?.save(run: run, transaction)
        return saved
    }

    /// What happens to one record of the page.
    private enum Disposition {
        /// It is filtered out, and nothing is written; `row` is what is stored under its key.
        case leaveOut(row: Int64?)
        case quarantine(ContractBreach)
        case save(RecordKey, cause: RecordCause, isDeleted: Bool, isNullFiltered: Bool = false)
    }

    /// - Parameters:
    ///   - stored: what is stored under the key of a filtered-out record.
    ///   - isOtherCondition: whether stored records that are filtered out stay as they are.
    private func disposition(
        of slice: RecordSlice, _ body: UnsafeRawBufferPointer, _ result: RecordCondition.FilterResult,
        _ stored: (row: Int64, isLive: Bool)?, _ breach: ContractBreach?, isOtherCondition: Bool
    ) -> Disposition {
        if let breach { return .quarantine(breach) }
        guard case .key(let key) = slice.outcome else { return .leaveOut(row: nil) }
        if result != .matches, stored == nil || isOtherCondition { return .leaveOut(row: stored?.row) }
        if mark?.marks(body) == true { return .save(key, cause: cause, isDeleted: true) }
        switch result {
        case .matches: return .save(key, cause: cause, isDeleted: false)
        case .null where stored?.isLive == true:
            // Kept for now: all such records are removed together, unless the mass-deletion guard blocks that.
            return .save(key, cause: cause, isDeleted: false, isNullFiltered: true)
        // Deleted at once.
        case .filteredOut, .null: return .save(key, cause: .filtered, isDeleted: true)
        }
    }

    /// Adds what was just saved under `key`.
    private func add(
        _ change: RecordChange, of key: UnsafeRawBufferPointer, to saved: inout Saved,
        _ statements: inout RecordStatements, _ transaction: borrowing Transaction
    ) throws {
        var row = statements.savedRow
        let isEdited = row == nil
        if isEdited { row = try statements.row(of: key) }
        if try change == .stale || isEdited && incoming?.hasPendingEdit(key, transaction) == true {
            saved.isOvertaken = true
        }
        saved.add(change, row, isEdited: isEdited)
    }

    /// - Parameter row: what is stored under the record's key.
    private func set(
        aside slice: RecordSlice, at index: Int, _ breach: ContractBreach, row: Int64?, _ saved: inout Saved,
        _ refuse: (RecordSlice, ContractBreach) throws -> Void
    ) throws {
        try Self.stopIfAsked(breach)
        try refuse(slice, breach)
        saved.counters.quarantined += 1
        saved.refused.insert(index)
        if case .key = slice.outcome {
            if let row { saved.shown.ids.append(row) }
        } else {
            saved.shown.hasUnknown = true
        }
    }

    /// Evaluates the filter; unreadable records pass, so that they are reported.
    private static func filterResult(
        _ slice: RecordSlice, _ body: UnsafeRawBufferPointer, _ page: UnsafeRawBufferPointer, _ test: RecordCondition?
    ) throws -> RecordCondition.FilterResult {
        guard let test, case .key(let key) = slice.outcome else { return .matches }
        return try test.result(for: body, key: key.text(in: page))
    }

    /// The stored row under the key of a filtered-out record.
    private func stored(
        _ slice: RecordSlice, _ page: UnsafeRawBufferPointer, _ type: RecordKey.Kind?,
        _ statements: inout RecordStatements
    ) throws -> (row: Int64, isLive: Bool)? {
        // A key of another type may have the same text as a stored one.
        guard case .key(let key) = slice.outcome, key.kind == type else { return nil }
        return try key.withBytes(in: page) { try statements.stored(under: $0) }
    }

    private mutating func breach(
        of slice: RecordSlice, _ body: UnsafeRawBufferPointer, _ type: RecordKey.Kind?
    ) -> ContractBreach? {
        switch slice.outcome {
        case .fault(let fault): ContractBreach(fault, contract.contract)
        case .key(let key) where key.kind != type:
            ContractBreach(.keyType, .quarantine, key.kind.reason(unlike: type))
        case .key: check?.breach(of: body, memberSet: slice.memberSet)
        }
    }

    private static func stopIfAsked(_ breach: ContractBreach) throws(StoreError) {
        guard breach.response == .fail else { return }
        throw StoreError(
            .contract, "a record breaks the contract: \(breach.reason)",
            hint: "correct it at the origin, or set its rule in 'contract' to quarantine")
    }
}

extension RecordSaver.Saved {
    /// - Parameter isEdited: whether the record has pending edits, so that its server copy may have changed instead of its row.
    fileprivate mutating func add(_ change: RecordChange, _ row: Int64?, isEdited: Bool) {
        change.count(in: &counters)
        guard let row else { return }
        shown.ids.append(row)
        switch change {
        case .inserted, .revived: shown.fresh.append(row)
        case .deleted: deleted.append(row)
        case .insertedDeleted: hasDead = true
        case .updated, .unchanged, .stale, .unexpected: break
        }
        switch change {
        case .updated, .revived, .deleted: rewritten.append(row)
        case .inserted, .insertedDeleted, .unchanged, .stale, .unexpected: if isEdited { rewritten.append(row) }
        }
    }
}

extension RecordStatements {
    /// Saves one record. A record with pending edits is saved as its server copy.
    ///
    /// - Parameter incoming: saves records with pending edits; nil if no record of the resource has any.
    mutating func save(
        key: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, values: [EnvelopeValue?] = [], cause: RecordCause,
        isDeleted: Bool = false, expecting expectation: RecordChanges.Expectation = .anything,
        through incoming: IncomingChanges?, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        guard let incoming, try incoming.applies(to: key, transaction) else {
            return try save(
                key: key, body: body, values: values, cause: cause, isDeleted: isDeleted, expecting: expectation,
                transaction)
        }
        skip()
        return try incoming.save(
            body, under: key, cause: cause, isDeleted: isDeleted, expecting: expectation, transaction)
    }
}
