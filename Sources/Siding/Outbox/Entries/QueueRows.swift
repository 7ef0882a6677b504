internal import SidingChain
internal import SidingSQLite

/// Decodes a row of the queue.
enum QueueRows {
    static let columns: SQL = """
        id, kind, state, reason, source, resource, lane, method, url, page_number, attempts, crashes, created_at,
        not_before, error, settled_at, head, waits_on, operation, record_key, unknown_since, key_until, tries
        """
    /// The number of ``columns``; further columns of a query follow them.
    static let count = 23

    static func entry(_ row: borrowing Row) throws -> QueueEntry {
        guard let kind = QueueEntry.Kind(rawValue: row.text(1)), let state = QueueEntry.State(rawValue: row.text(2))
        else {
            throw StoreError(.corrupt, "queue entry \(row.text(0)) has a kind or state that is not known")
        }
        var entry = QueueEntry(
            id: row.text(0), kind: kind, state: state, reason: row.optionalText(3).flatMap(ParkReason.init),
            source: row.text(4), resource: row.optionalText(5), lane: row.text(6), method: row.text(7),
            url: row.text(8),
            pageNumber: row.optionalInt(9).map(Int.init), attempts: Int(row.int(10)), crashes: Int(row.int(11)),
            createdAt: Timestamp(microseconds: row.int(12)), nextAttemptAt: Timestamp(microseconds: row.int(13)),
            lastError: Store.decode(RecordedError.self, row.optionalText(14)),
            settledAt: row.optionalInt(15).map(Timestamp.init), isHead: row.int(16) == 1, waitsOn: Int(row.int(17)),
            operation: row.optionalText(18), recordKey: row.optionalText(19),
            unknownSince: row.optionalInt(20).map(Timestamp.init))
        entry.keyKeptUntil = row.optionalInt(21).map(Timestamp.init)
        entry.tries = Int(row.int(22))
        return entry
    }
}
