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
    let url: String
    /// The resource's revision once this transaction has committed.
    let revision: Int64
    /// Nil where no record of the resource has unsettled edits.
    let pull: RecordPull?

    func save(
        _ slices: [RecordSlice], of bytes: [UInt8], _ transaction: borrowing Transaction
    ) throws -> RunCounters {
        try bytes.withUnsafeBytes { page in
            // What was wrong with this page before may have been mended since.
            try transaction.execute("DELETE FROM siding_quarantine WHERE resource = ?1 AND url = ?2", resource, url)
            let superseded = DuplicateKeys.superseded(in: slices, page)
            var counters = RunCounters()
            counters.duplicates = superseded.count
            var statements = try RecordStatements(
                transaction, resource: resource, run: run, now: now, revision: revision,
                text: TextIndex.load(of: resource, transaction), pull: pull)
            let type = try keyType ?? fixKeyType(slices, transaction)
            for (index, slice) in slices.enumerated() where !superseded.contains(index) {
                switch slice.outcome {
                case .key(let key) where key.kind == type:
                    let body = UnsafeRawBufferPointer(rebasing: page[slice.range])
                    let change = try key.withBytes(in: page) { text in
                        try statements.save(key: text, body: body, transaction)
                    }
                    change.count(in: &counters)
                case .key(let key):
                    try quarantine(slice, page, Self.wrongKeyType(key.kind, type), transaction)
                    counters.quarantined += 1
                case .fault(let fault):
                    try quarantine(slice, page, fault.description, transaction)
                    counters.quarantined += 1
                }
            }
            if counters.inserted + counters.updated > 0 { try Revisions.set(revision, of: resource, transaction) }
            return counters
        }
    }

    /// The first record that has a key fixes the type of all.
    private func fixKeyType(
        _ slices: [RecordSlice], _ transaction: borrowing Transaction
    ) throws -> RecordKey.Kind? {
        for case .key(let key) in slices.lazy.map(\.outcome) {
            return try Self.fixKeyType(key.kind, of: resource, transaction)
        }
        return nil
    }

    static func fixKeyType(
        _ kind: RecordKey.Kind, of resource: Int64, _ transaction: borrowing Transaction
    ) throws -> RecordKey.Kind {
        try transaction.execute(
            "UPDATE siding_resources SET key_type = ?2 WHERE id = ?1", resource, kind.storedName)
        return kind
    }

    static func wrongKeyType(_ kind: RecordKey.Kind, _ type: RecordKey.Kind?) -> String {
        "its key is \(kind.words), the resource's keys are \(type?.words ?? "")"
    }

    /// Keeps a record that broke its contract: the newest bytes found at that place of that page.
    private func quarantine(
        _ slice: RecordSlice, _ page: UnsafeRawBufferPointer, _ reason: String, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_quarantine (resource, run, url, position, reason, body, created_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (resource, url, position) DO UPDATE SET
                run = excluded.run, reason = excluded.reason, body = excluded.body, created_at = excluded.created_at
            """,
            resource, run, url, slice.range.lowerBound, reason, Array(page[slice.range]), now.microseconds)
    }
}

/// What saving did to one record.
enum RecordChange {
    case inserted, updated, unchanged
    /// A tombstone lives again.
    case revived
    /// What was taken for granted does not hold; nothing was written.
    case unexpected

    func count(in counters: inout RunCounters) {
        switch self {
        case .inserted: counters.inserted += 1
        case .updated, .revived: counters.updated += 1
        case .unchanged: counters.unchanged += 1
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
