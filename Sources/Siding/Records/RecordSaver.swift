internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Saves the records of a page: reads what is stored under each key, then inserts, updates, or writes nothing at all.
///
/// Comparing before writing costs less than an upsert that finds out by writing, and leaves the WAL quiet when nothing
/// changed. Bodies are bound where they lie in the page, without a copy.
struct RecordSaver {
    let resource: Int64
    let keyType: RecordKey.Kind?
    let run: RunID
    let now: Timestamp
    /// The resource's revision once this transaction has committed.
    let revision: Int64
    /// Nil where no record of the resource has unsettled edits.
    let pull: RecordPull?
    let contract: RecordContract
    /// Nil where the contract asks nothing of members, which then costs nothing.
    var check: ContractCheck?
    /// The member that marks deleted records; nil where there is none, which then costs nothing.
    var mark: DeletionMark? = nil
    /// Which records are kept, and the columns whose names that may use; nil for all, which then costs nothing.
    var condition: RecordExpression? = nil
    var columns: [RecordColumn] = []
    /// Whether `condition` is another one than stored records are kept by: what is stored and does not fit stays as it is.
    var isOtherCondition = false
    /// Where the records come from; its row is made by the caller where any was written.
    var request: Int64?

    struct Saved {
        var counters = RunCounters()
        var shown = PageMembers.Shown()
        /// The rows of living records that the origin marks as deleted.
        var deleted: [Int64] = []
        /// The rows that pages may have shown otherwise before: what was updated, revived or deleted, and what edits lie on.
        var rewritten: [Int64] = []
        /// The indexes of the records that were not saved.
        var refused: Set<Int> = []
        /// The indexes of those that the condition leaves out, and that were not stored before, or stay as they are.
        var leftOut: Set<Int> = []
        /// Whether the condition is NULL for any living record.
        var hasNullFiltered = false
        /// Whether records were inserted that the origin shows as deleted already.
        var hasDead = false

        /// Whether any row of a record was written.
        var isWritten: Bool { counters.changed > 0 || hasDead }
    }

    /// Saves the records of a page; what breaks the contract is handed to `refuse`.
    ///
    /// - Throws: ``StoreError/Kind/contract`` where the contract wants nothing of the page then, or what `refuse` throws.
    mutating func save(
        _ slices: [RecordSlice], of page: UnsafeRawBufferPointer, _ transaction: borrowing Transaction,
        refuse: (RecordSlice, ContractBreach) throws -> Void
    ) throws -> Saved {
        let superseded = DuplicateKeys.superseded(in: slices, page)
        var saved = Saved()
        saved.counters.duplicates = superseded.count
        let keys = slices.lazy.compactMap { slice in if case .key(let key) = slice.outcome { key } else { nil } }
        // The first record that has a key fixes the type of all.
        let type = keyType ?? keys.first?.kind
        var table = try RecordsTable.load(resource, transaction)
        if let type { table = try table.made(for: keys, of: type, in: page, transaction) }
        guard table.layout != nil else {
            // No record of the page can be saved, and none was before.
            for (index, slice) in slices.enumerated() where !superseded.contains(index) {
                guard let breach = breach(of: slice, UnsafeRawBufferPointer(rebasing: page[slice.range]), type) else {
                    continue
                }
                try set(aside: slice, at: index, breach, row: nil, &saved, refuse)
            }
            return saved
        }
        var statements = try RecordStatements(
            transaction, table: table, run: run, now: now, revision: revision, pull: pull, request: request)
        let test = try condition.map { try RecordCondition($0, beside: columns, transaction) }
        for (index, slice) in slices.enumerated() where !superseded.contains(index) {
            let body = UnsafeRawBufferPointer(rebasing: page[slice.range])
            // What is not kept need not keep to the contract.
            let verdict = try Self.verdict(slice, body, page, test)
            let isFit = verdict == .fits
            let stored = isFit ? nil : try stored(slice, page, type, &statements)
            if !isFit, stored == nil || isOtherCondition {
                saved.leftOut.insert(index)
                // What stays as it is was shown all the same.
                if let stored { saved.shown.ids.append(stored.row) }
            } else if isFit, let breach = breach(of: slice, body, type) {
                var row: Int64?
                if case .key(let key) = slice.outcome {
                    row = try key.withBytes(in: page) { try statements.row(of: $0) }
                }
                try set(aside: slice, at: index, breach, row: row, &saved, refuse)
            } else if case .key(let key) = slice.outcome {
                let isMarked = mark?.marks(body) ?? false
                // What the origin says of a record counts at once. Where it does not say it any more, what lives goes with all
                // others of which it does not, where they are not too many.
                let isLeaving = verdict == .unknown && !isMarked && stored?.isLiving == true
                let isDeleted = isMarked || !isFit && !isLeaving
                let (change, row, isEdited) = try key.withBytes(in: page) { text in
                    let change = try statements.save(key: text, body: body, isDeleted: isDeleted, transaction)
                    var row = statements.savedRow
                    let isEdited = row == nil
                    if row == nil { row = try statements.row(of: text) }
                    return (change, row, isEdited)
                }
                change.count(in: &saved.counters)
                if isLeaving { saved.hasNullFiltered = true }
                saved.note(change, row, isEdited: isEdited)
            }
        }
        if saved.isWritten {
            try Revisions.set(revision, of: resource, transaction)
        }
        try Tombstones.insert(saved.deleted, of: resource, run: run, now: now, transaction)
        if saved.hasNullFiltered { try NullFilteredRecords.setFound(in: resource, transaction) }
        try check?.save(run: run, transaction)
        return saved
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

    /// Whether the record is one of those that are kept; what cannot be read is told of in any case.
    private static func verdict(
        _ slice: RecordSlice, _ body: UnsafeRawBufferPointer, _ page: UnsafeRawBufferPointer, _ test: RecordCondition?
    ) throws -> RecordCondition.Verdict {
        guard let test, case .key(let key) = slice.outcome else { return .fits }
        return try test.verdict(for: body, called: key.text(in: page))
    }

    /// What is stored under the key of a record that is not kept.
    private func stored(
        _ slice: RecordSlice, _ page: UnsafeRawBufferPointer, _ type: RecordKey.Kind?,
        _ statements: inout RecordStatements
    ) throws -> (row: Int64, isLiving: Bool)? {
        // A key of another type may have the text of one that is stored.
        guard case .key(let key) = slice.outcome, key.kind == type else { return nil }
        return try key.withBytes(in: page) { try statements.stored(under: $0) }
    }

    private mutating func breach(
        of slice: RecordSlice, _ body: UnsafeRawBufferPointer, _ type: RecordKey.Kind?
    ) -> ContractBreach? {
        switch slice.outcome {
        case .fault(let fault): ContractBreach(fault, contract)
        case .key(let key) where key.kind != type:
            ContractBreach(.keyType, .quarantine, Self.wrongKeyType(key.kind, type))
        case .key: check?.breach(of: body, shape: slice.shape)
        }
    }

    private static func stopIfAsked(_ breach: ContractBreach) throws(StoreError) {
        guard breach.response == .fail else { return }
        throw StoreError(.contract, "a record breaks the contract: \(breach.reason)")
    }

    static func wrongKeyType(_ kind: RecordKey.Kind, _ type: RecordKey.Kind?) -> String {
        "its key is \(kind.words), the resource's keys are \(type?.words ?? "")"
    }
}

extension RecordSaver.Saved {
    /// - Parameter isEdited: whether edits lie on the record, so that what the origin has of it may have changed unseen.
    fileprivate mutating func note(_ change: RecordChange, _ row: Int64?, isEdited: Bool) {
        guard let row else { return }
        shown.ids.append(row)
        switch change {
        case .inserted, .revived: shown.fresh.append(row)
        case .deleted: deleted.append(row)
        case .insertedDead: hasDead = true
        case .updated, .unchanged, .unexpected: break
        }
        switch change {
        case .updated, .revived, .deleted: rewritten.append(row)
        case .inserted, .insertedDead, .unchanged, .unexpected: if isEdited { rewritten.append(row) }
        }
    }
}

/// What saving did to one record.
enum RecordChange {
    case inserted, updated, unchanged
    /// A tombstone lives again.
    case revived
    /// The origin marks it as deleted, and it was not before.
    case deleted
    /// It was never seen alive: the origin shows it as deleted already.
    case insertedDead
    /// What was taken for granted does not hold; nothing was written.
    case unexpected

    func count(in counters: inout RunCounters) {
        switch self {
        case .inserted: counters.inserted += 1
        case .updated, .revived: counters.updated += 1
        // For whoever looks at living records nothing happened.
        case .unchanged, .insertedDead: counters.unchanged += 1
        case .deleted: counters.deleted += 1
        case .unexpected: break
        }
    }
}

extension RecordKey.Kind {
    /// The name in the column `key_type`.
    var storedName: String {
        switch self {
        case .string: "string"
        case .integer: "integer"
        case .composite: "composite"
        }
    }

    init?(stored name: String) {
        switch name {
        case "string": self = .string
        case "integer": self = .integer
        case "composite": self = .composite
        default: return nil
        }
    }

    var words: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .composite: "composite"
        }
    }
}
