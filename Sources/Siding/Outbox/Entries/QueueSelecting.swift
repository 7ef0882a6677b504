internal import SidingChain
internal import SidingSQLite

/// Finds the entries of a selection.
enum QueueSelecting {
    /// The selected entries.
    ///
    /// - Parameter limit: at most this many, oldest first; nil for all.
    static func entries(
        _ selection: QueueSelection, limit: Int? = nil, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QueueEntry] {
        guard selection.ids.isEmpty else { return try named(selection, limit, database) }
        return try database.query(statement(selection, limit: limit), map: QueueRows.entry)
    }

    static func count(_ selection: QueueSelection, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        guard selection.ids.isEmpty else { return try named(selection, nil, database).count }
        return try database.query(counting(selection)) { Int($0.int(0)) }.first ?? 0
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

    /// The statement for a selection without ids, oldest first.
    static func statement(_ selection: QueueSelection, limit: Int? = nil) throws -> Condition {
        var statement = try conditions(selection)
        // The index of open entries returns those of one kind in this order already. For all others, SQLite would scan the
        // whole table to get the order; "+" prevents that (https://sqlite.org/optoverview.html#disqualifying).
        let order: SQL = selection.kinds.count == 1 && !includesSettled(selection) ? "seq" : "+seq"
        statement.sql = "SELECT \(QueueRows.columns) FROM siding_outbox WHERE \(statement.sql) ORDER BY \(order)"
        if let limit {
            statement.sql = "\(statement.sql) LIMIT ?"
            statement.arguments.append(.integer(Int64(max(limit, 0))))
        }
        return statement
    }

    private static func counting(_ selection: QueueSelection) throws -> Condition {
        var statement = try conditions(selection)
        statement.sql = "SELECT COUNT(*) FROM siding_outbox WHERE \(statement.sql)"
        return statement
    }

    private static func includesSettled(_ selection: QueueSelection) -> Bool {
        selection.states.contains(where: \.isSettled)
    }

    /// The conditions on a row, except for its id. Completed entries are selected only if their state is named.
    ///
    /// Contains only the terms of the selection, so that the planner can choose the best index.
    private static func conditions(_ selection: QueueSelection) throws -> Condition {
        var condition = Condition(sql: "kind IN ('fetch', 'write')")
        if selection.kinds == [.fetch] { condition.sql = "kind = 'fetch'" }
        if selection.kinds == [.write] { condition.sql = "kind = 'write'" }
        func require(_ term: SQL, _ argument: SQLiteValue) {
            condition.sql = "\(condition.sql) AND \(term)"
            condition.arguments.append(argument)
        }
        func require(_ column: SQL, oneOf texts: [String]) throws {
            if !texts.isEmpty { require("\(column) IN (SELECT value FROM json_each(?))", .text(try Store.json(texts))) }
        }
        try require("resource", oneOf: selection.resources)
        try require("source", oneOf: selection.sources)
        try require("lane", oneOf: selection.lanes)
        try require("state", oneOf: selection.states.map(\.rawValue))
        try require("reason", oneOf: selection.reasons.map(\.rawValue))
        if let moment = selection.createdBefore { require("created_at < ?", .integer(moment.microseconds)) }
        if let moment = selection.dueBy {
            // A wait longer than the longest allowed one was set before the clock was set back, and counts as over.
            require("state = 'queued' AND (not_before <= ? OR not_before > ?)", .integer(moment.microseconds))
            condition.arguments.append(.integer((moment + RetryAfter.longest).microseconds))
        }
        if let moment = selection.settledBefore { require("settled_at < ?", .integer(moment.microseconds)) }
        if !includesSettled(selection) {
            condition.sql = "\(condition.sql) AND settled_at IS NULL"
        } else {
            if selection.states.allSatisfy(\.isSettled) {
                condition.sql = "\(condition.sql) AND settled_at IS NOT NULL"
            }
            // Only the key of a purged entry is left: there is nothing to show.
            condition.sql = "\(condition.sql) AND key_until IS NULL"
        }
        return condition
    }

    /// The entry with this full id; nil if it was removed.
    static func entry(
        _ id: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry? {
        try database.first("SELECT \(QueueRows.columns) FROM siding_outbox WHERE id = ?1", id, map: QueueRows.entry)
    }

    static func entry(
        withPrefix prefix: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> QueueEntry {
        let wanted = prefix.lowercased()
        guard wanted.count >= 4, wanted.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw StoreError(.notFound, "'\(prefix)' is no entry id: give at least 4 of its characters")
        }
        let found = try database.query(
            "SELECT \(QueueRows.columns) FROM siding_outbox WHERE id >= ?1 AND id < ?1 || '~' ORDER BY seq LIMIT 9",
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
