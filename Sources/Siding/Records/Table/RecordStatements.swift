// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The statements that save records, prepared once per page. They read by position, as they run for each record.
struct RecordStatements: ~Copyable {
    /// Whether what is to be saved is older than what is stored: the body (nil for a deleted record) and the key that a page
    /// shows, the request that the stored record came from, and its cause.
    typealias Overtaken = (
        UnsafeRawBufferPointer?, UnsafeRawBufferPointer, Int64?, RecordCause, borrowing Transaction
    ) throws -> Bool

    private let table: RecordsTable
    private var find: Statement
    private var rows: RowStatements
    /// Updates the text index; nil if the resource has none.
    private var text: TextStatements?
    private let now: Timestamp
    private let isOvertaken: Overtaken?
    /// The row of the last saved record; nil if it was saved by other means, as records with pending edits are.
    private(set) var savedRow: Int64?

    /// - Parameters:
    ///   - table: one that is there, with a layout for all keys that are to be saved.
    ///   - revision: the resource's revision once this transaction has committed.
    ///   - request: where the bodies come from; nil for what is saved here.
    ///   - columns: the paths of the values that come with records; see `RecordSlice.columns`.
    ///   - isOvertaken: whether a page shows a record as it was before an own write; nil saves over everything.
    init(
        _ transaction: borrowing Transaction, table: RecordsTable, run: RunID, now: Timestamp, revision: Int64,
        request: Int64? = nil, columns: [JSONPath] = [], isOvertaken: Overtaken? = nil
    ) throws {
        try table.makeHistoryTrigger(transaction)
        // All or none: a struct of statements cannot be left half made.
        let find = try transaction.prepare(
            "SELECT rowid, body, deleted_at, request, cause, etag IS '' FROM \(identifier: table.name) WHERE key = ?1")
        let rows = try RowStatements(
            transaction, table, RowStatements.Context(run: run, now: now, revision: revision, request: request),
            readAt: columns)
        let index = try TextIndex.load(of: table.resource, transaction)
        let text: TextStatements? = if let index { try TextStatements(index, transaction) } else { nil }
        self.table = table
        self.find = find
        self.rows = rows
        self.text = text
        self.now = now
        self.isOvertaken = isOvertaken
    }

    /// Saves one record: a tombstone may become a live record, and a record marked as deleted becomes a tombstone.
    ///
    /// - Parameter values: of its columns, if they were read with it; else they are computed.
    mutating func save(
        key: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, values: [EnvelopeValue?] = [], cause: RecordCause,
        isDeleted: Bool = false, expecting expectation: RecordChanges.Expectation = .anything,
        _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        savedRow = nil
        try table.bind(key: key, at: 1, of: &find)
        guard try find.step() else {
            guard !expectation.isForBody else { return .unexpected }
            let deletedAt = isDeleted ? now.microseconds : nil
            try rows.insert(
                key, RowStatements.Contents(body: body, values: values, cause: cause, deletedAt: deletedAt), transaction
            )
            savedRow = transaction.lastInsertedRowID
            try text?.addNewest()
            return isDeleted ? .insertedDeleted : .inserted
        }
        let id = find.int(0)
        let isLive = find.isNull(2)
        let (isExpected, isSame) = find.withBytes(1) { stored in
            // A page makes the ETag in the record usable again.
            let isSame = isLive != isDeleted && find.int(5) == 0 && stored.isSame(as: body)
            return (expectation.holds(isLive ? stored : nil), isSame)
        }
        // Most records are unchanged.
        let storedCause = isSame ? nil : try RecordCause(stored: find.text(4))
        let request = find.optionalInt(3)
        let deletedAt = isDeleted ? find.optionalInt(2) ?? now.microseconds : nil
        find.reset()
        savedRow = id
        if !isExpected { return .unexpected }
        if isSame { return .unchanged }
        if let isOvertaken, let storedCause,
            try isOvertaken(isDeleted ? nil : body, key, request, storedCause, transaction)
        {
            return .stale
        }
        try text?.remove(id)
        try rows.update(
            id, RowStatements.Contents(body: body, values: values, cause: cause, deletedAt: deletedAt), transaction)
        try text?.add(id)
        return isDeleted ? (isLive ? .deleted : .updated) : isLive ? .updated : .revived
    }

    /// The row of the record under `key`; nil if there is none.
    mutating func row(of key: UnsafeRawBufferPointer) throws -> Int64? { try stored(under: key)?.row }

    /// The row under `key`, and whether the record is live; nil if there is none.
    mutating func stored(under key: UnsafeRawBufferPointer) throws -> (row: Int64, isLive: Bool)? {
        try table.bind(key: key, at: 1, of: &find)
        guard try find.step() else { return nil }
        let found = (row: find.int(0), isLive: find.isNull(2))
        find.reset()
        return found
    }

    /// No row was saved: the record is saved by other means.
    mutating func skip() { savedRow = nil }
}

extension RecordChanges.Expectation {
    fileprivate var isForBody: Bool {
        if case .body = self { true } else { false }
    }

    /// - Parameter stored: the live record's body; nil if there is none.
    func holds(_ stored: UnsafeRawBufferPointer?) -> Bool {
        switch self {
        case .anything: true
        case .nothing: stored == nil
        case .body(let bytes): stored.map { stored in bytes.withUnsafeBytes { $0.isSame(as: stored) } } ?? false
        }
    }
}

/// The effect of saving one record.
enum RecordChange {
    case inserted, updated, unchanged
    /// A tombstone became a live record again.
    case revived
    /// A live record became a tombstone.
    case deleted
    /// A new record was inserted as a tombstone, as the origin already marks it as deleted.
    case insertedDeleted
    /// The page shows the record as it was before an own write (see ``OvertakenPage``). Nothing was written.
    case stale
    /// The expectation did not hold; nothing was written.
    case unexpected

    func count(in counters: inout RunCounters) {
        switch self {
        case .inserted: counters.inserted += 1
        case .updated, .revived: counters.updated += 1
        // Among live records nothing changed.
        case .unchanged, .insertedDeleted: counters.unchanged += 1
        case .deleted: counters.deleted += 1
        case .stale: counters.stale += 1
        case .unexpected: break
        }
    }
}
