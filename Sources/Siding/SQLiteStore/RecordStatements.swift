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
            INSERT INTO siding_records (resource, key, body, first_seen_at, changed_at, run, revision, lives_since, request)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?6, ?7)
            """)
        var update = try transaction.prepare(
            """
            UPDATE siding_records SET body = ?2, changed_at = ?3, run = ?4, deleted_at = NULL, revision = ?5,
                etag = NULL, lives_since = CASE WHEN deleted_at IS NULL THEN lives_since ELSE ?5 END, request = ?6
            WHERE id = ?1
            """)
        try find.bind(1, resource)
        try insert.bind(1, resource)
        try insert.bind(4, now.microseconds)
        try insert.bind(5, run)
        try insert.bind(6, revision)
        try insert.bind(7, request)
        try update.bind(3, now.microseconds)
        try update.bind(4, run)
        try update.bind(5, revision)
        try update.bind(6, request)
        let text: TextStatements? = if let index { try TextStatements(index, transaction) } else { nil }
        self.find = find
        self.insert = insert
        self.update = update
        self.text = text
        self.pull = pull
    }

    /// Saves one record; a tombstone that comes back is revived.
    mutating func save(
        key: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer,
        expecting expectation: RecordChanges.Expectation = .anything, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        if let pull, try pull.applies(to: key, transaction) {
            guard try isExpected(expectation, of: key) else { return .unexpected }
            return try pull.take(body, under: key, transaction)
        }
        try find.bindTextBytes(2, key)
        guard try find.step() else {
            guard !expectation.isForBody else { return .unexpected }
            try insert.bindTextBytes(2, key)
            try insert.bindTextBytes(3, body)
            try insert.step()
            try text?.addNewest()
            return .inserted
        }
        let id = find.int(0)
        let isLiving = find.isNull(2)
        let isExpected = find.withBytes(1) { stored in expectation.holds(isLiving ? stored : nil) }
        let isSame = isLiving && find.withBytes(1) { stored in stored.isSame(as: body) }
        find.reset()
        if !isExpected { return .unexpected }
        if isSame { return .unchanged }
        try text?.remove(id)
        try update.bind(1, id)
        try update.bindTextBytes(2, body)
        try update.step()
        try text?.add(id)
        return isLiving ? .updated : .revived
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
