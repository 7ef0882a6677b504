internal import SidingChain
internal import SidingSQLite

/// The statements that save a record, prepared once per page.
struct RecordStatements: ~Copyable {
    private var find: Statement
    private var insert: Statement
    private var update: Statement
    /// Nil where the resource has no text index, which then costs nothing.
    private var text: TextStatements?
    /// Nil where no record of the resource has unsettled edits, which then costs nothing.
    private let pull: RecordPull?
    private let resource: Int64
    private let now: Timestamp
    /// Whether a program saves the records, rather than a page of the origin.
    private let isLocal: Bool
    /// The row of the record that was saved last; nil where edits lie on it.
    private(set) var savedRow: Int64?

    /// - Parameters:
    ///   - revision: the resource's revision once this transaction has committed.
    ///   - pull: what becomes of records that edits lie on.
    ///   - request: where the bodies come from; nil for what is saved here.
    init(
        _ transaction: borrowing Transaction, resource: Int64, run: RunID, now: Timestamp, revision: Int64,
        text index: TextIndex?, pull: RecordPull? = nil, request: Int64? = nil
    ) throws {
        // All or none: a struct of statements cannot be left half made.
        var find = try transaction.prepare(
            "SELECT id, body, deleted_at FROM siding_records WHERE resource = ?1 AND key = ?2")
        var insert = try transaction.prepare(
            """
            INSERT INTO siding_records (resource, key, body, first_seen_at, changed_at, run, revision, lives_since,
                deleted_at, request)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?6, ?7, ?8)
            """)
        var update = try transaction.prepare(
            """
            UPDATE siding_records SET body = ?2, changed_at = ?3, run = ?4, deleted_at = ?6, etag = NULL,
                revision = CASE WHEN deleted_at IS NULL OR ?6 IS NULL THEN ?5 ELSE revision END,
                lives_since = CASE WHEN deleted_at IS NOT NULL AND ?6 IS NULL THEN ?5 ELSE lives_since END, request = ?7
            WHERE id = ?1
            """)
        try find.bind(1, resource)
        try insert.bind(1, resource)
        try insert.bind(4, now.microseconds)
        try insert.bind(5, run)
        try insert.bind(6, revision)
        try insert.bind(8, request)
        try update.bind(3, now.microseconds)
        try update.bind(4, run)
        try update.bind(5, revision)
        try update.bind(7, request)
        let text: TextStatements? = if let index { try TextStatements(index, transaction) } else { nil }
        self.find = find
        self.insert = insert
        self.update = update
        self.text = text
        self.pull = pull
        self.resource = resource
        self.now = now
        isLocal = request == nil
    }

    /// Saves one record; a tombstone that comes back is revived, and one that the origin marks as deleted becomes one.
    mutating func save(
        key: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, isDeleted: Bool = false,
        expecting expectation: RecordChanges.Expectation = .anything, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        savedRow = nil
        if let pull, try pull.applies(to: key, transaction) {
            guard try isExpected(expectation, of: key) else { return .unexpected }
            return try pull.take(body, under: key, isDeleted: isDeleted, transaction)
        }
        try find.bindTextBytes(2, key)
        guard try find.step() else {
            guard !expectation.isForBody else { return .unexpected }
            try insert.bindTextBytes(2, key)
            try insert.bindTextBytes(3, body)
            try insert.bind(7, isDeleted ? now.microseconds : nil)
            try insert.step()
            savedRow = transaction.lastInsertedRowID
            if isLocal, let savedRow { try MissingTable.exempt(savedRow, of: resource, transaction) }
            try text?.addNewest()
            return isDeleted ? .insertedDead : .inserted
        }
        let id = find.int(0)
        let isLiving = find.isNull(2)
        let isExpected = find.withBytes(1) { stored in expectation.holds(isLiving ? stored : nil) }
        let isSame = isLiving != isDeleted && find.withBytes(1) { stored in stored.isSame(as: body) }
        let deletedAt = isDeleted ? find.optionalInt(2) ?? now.microseconds : nil
        find.reset()
        savedRow = id
        if !isExpected { return .unexpected }
        if isSame { return .unchanged }
        try text?.remove(id)
        try update.bind(1, id)
        try update.bindTextBytes(2, body)
        try update.bind(6, deletedAt)
        try update.step()
        try text?.add(id)
        if isLocal, !isLiving { try MissingTable.exempt(id, of: resource, transaction) }
        return isDeleted ? (isLiving ? .deleted : .updated) : isLiving ? .updated : .revived
    }

    /// The row of the record under `key`; nil where there is none.
    mutating func row(of key: UnsafeRawBufferPointer) throws -> Int64? { try stored(under: key)?.row }

    /// The row under `key`, and whether it lives; nil where there is none.
    mutating func stored(under key: UnsafeRawBufferPointer) throws -> (row: Int64, isLiving: Bool)? {
        try find.bindTextBytes(2, key)
        guard try find.step() else { return nil }
        let found = (row: find.int(0), isLiving: find.isNull(2))
        find.reset()
        return found
    }

    /// Whether what shows under `key` is what was taken for granted.
    private mutating func isExpected(
        _ expectation: RecordChanges.Expectation, of key: UnsafeRawBufferPointer
    ) throws -> Bool {
        if case .anything = expectation { return true }
        try find.bindTextBytes(2, key)
        guard try find.step() else { return expectation.holds(nil) }
        let isLiving = find.isNull(2)
        let holds = find.withBytes(1) { stored in expectation.holds(isLiving ? stored : nil) }
        find.reset()
        return holds
    }
}

extension RecordChanges.Expectation {
    fileprivate var isForBody: Bool {
        if case .body = self { true } else { false }
    }

    /// - Parameter stored: the living record's body; nil where there is none.
    fileprivate func holds(_ stored: UnsafeRawBufferPointer?) -> Bool {
        switch self {
        case .anything: true
        case .nothing: stored == nil
        case .body(let bytes): stored.map { stored in bytes.withUnsafeBytes { $0.isSame(as: stored) } } ?? false
        }
    }
}
