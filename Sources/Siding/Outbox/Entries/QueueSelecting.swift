internal import FoundationEssentials
internal import SidingChain
internal import SidingSQLite

/// Finds the entries that a selection means.
enum QueueSelecting {
    /// - Parameter limit: the oldest so many; nil for all.
    static func entries(
        _ selection: QueueSelection, limit: Int? = nil, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        guard selection.ids.isEmpty else { return try named(selection, limit, database) }
        let sql: SQL =
            "SELECT \(QueueRows.columns) FROM siding_queue WHERE \(conditions(selection)) ORDER BY seq LIMIT ?7"
        return try ask(sql, selection, limit, database, map: QueueRows.entry)
    }

    static func count(_ selection: QueueSelection, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        guard selection.ids.isEmpty else { return try named(selection, nil, database).count }
        let sql: SQL = "SELECT COUNT(*) FROM siding_queue WHERE \(conditions(selection)) LIMIT ?7"
        return try ask(sql, selection, nil, database) { Int($0.int(0)) }.first ?? 0
    }

    private static func named(
        _ selection: QueueSelection, _ limit: Int?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        var seen: Set<String> = []
        let found = try selection.ids.map { try entry(withPrefix: $0, database) }
            .filter { selection.fits($0) && seen.insert($0.id).inserted }
            .sorted { $0.createdAt < $1.createdAt }
        return limit.map { Array(found.prefix(max($0, 0))) } ?? found
    }

    /// What must hold of a row, besides its id; settled ones are meant only where their state is named.
    ///
    /// Conditions that select nothing are left out, so that the planner sees which index may serve.
    private static func conditions(_ selection: QueueSelection) -> SQL {
        var sql: SQL = "(?1 IS NULL OR resource IN (SELECT value FROM json_each(?1)))"
        sql = "\(sql) AND (?2 IS NULL OR source IN (SELECT value FROM json_each(?2)))"
        sql = "\(sql) AND (?3 IS NULL OR lane IN (SELECT value FROM json_each(?3)))"
        sql = "\(sql) AND (?4 IS NULL OR state IN (SELECT value FROM json_each(?4)))"
        sql = "\(sql) AND (?5 IS NULL OR created_at < ?5)"
        sql = "\(sql) AND (?6 IS NULL OR (state = 'queued' AND (not_before <= ?6 OR not_before > ?10)))"
        sql = "\(sql) AND (?8 IS NULL OR reason IN (SELECT value FROM json_each(?8)))"
        sql = "\(sql) AND (?9 IS NULL OR settled_at < ?9)"
        if selection.kinds == [.fetch] { sql = "\(sql) AND kind = 'fetch'" }
        if selection.kinds == [.write] { sql = "\(sql) AND kind = 'write'" }
        guard selection.states.contains(where: \.isSettled) else { return "\(sql) AND settled_at IS NULL" }
        // Of what was forgotten only the key is left, which is nothing to look at.
        return "\(sql) AND key_until IS NULL"
    }

    private static func ask<Value>(
        _ sql: SQL, _ selection: QueueSelection, _ limit: Int?, _ database: borrowing some Queryable & ~Copyable,
        map: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        // SQLite takes a negative limit for none (https://sqlite.org/lang_select.html#limitoffset).
        try database.query(
            sql, list(selection.resources), list(selection.sources), list(selection.lanes),
            list(selection.states.map(\.rawValue)), selection.createdBefore?.microseconds,
            selection.dueBy?.microseconds, limit.map { max($0, 0) } ?? -1,
            list(selection.reasons.map(\.rawValue)), selection.settledBefore?.microseconds,
            selection.dueBy.map { ($0 + RetryAfter.longest).microseconds }, map: map)
    }

    /// The texts as a JSON array, which one parameter carries; nil for none.
    private static func list(_ texts: [String]) throws -> String? {
        texts.isEmpty ? nil : String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }

    static func entry(
        withPrefix prefix: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry {
        let wanted = prefix.lowercased()
        guard wanted.count >= 4, wanted.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw StoreError(.notFound, "'\(prefix)' is no entry id: give at least 4 of its characters")
        }
        let found = try database.query(
            "SELECT \(QueueRows.columns) FROM siding_queue WHERE id >= ?1 AND id < ?1 || '~' ORDER BY seq LIMIT 9",
            wanted,
            map: QueueRows.entry)
        guard let entry = found.first else {
            throw StoreError(
                .notFound, "no queue entry begins with '\(prefix)'", hint: "'siding queue list' shows them")
        }
        guard found.count == 1 else {
            throw StoreError(
                .ambiguous, "'\(prefix)' begins several entries: \(found.map(\.shortID).joined(separator: ", "))",
                hint: "give more characters")
        }
        return entry
    }
}
