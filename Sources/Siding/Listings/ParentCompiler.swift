internal import SidingJSON
internal import SidingSQLite

/// Makes one statement of a ``ParentSelection``.
struct ParentCompiler {
    let selection: ParentSelection

    /// The parents that are due, in the order of their keys.
    func parents() throws(StoreError) -> Condition {
        let columns: SQL = """
            p.key, p.body, p.revision, l.next_url, l.next_number, l.next_offset, l.next_sent, l.scope,
            CASE WHEN l.state = 'open' THEN l.checkpoint_at END, l.root
            """
        var statement = try joined(selecting: columns, behind: selection.after, withBodies: true)
        statement.sql = "\(statement.sql) WHERE \(isDue) ORDER BY p.key LIMIT ?"
        statement.arguments += dueArguments + [.integer(Int64(selection.limit ?? -1))]
        return statement
    }

    /// One row of counts: all, due, new, unfinished, changed.
    func outlook() throws(StoreError) -> Condition {
        let marks: SQL = "\(isDue) AS due, l.state AS state, p.revision > l.parent_revision AS changed"
        var statement = try joined(selecting: marks, behind: nil, withBodies: false)
        // The marks stand before what is joined, and so do their values.
        statement.arguments = dueArguments + statement.arguments
        statement.sql = """
            SELECT COUNT(*), COALESCE(SUM(due), 0), COALESCE(SUM(due AND state IS NULL), 0), \
            COALESCE(SUM(due AND state IN ('open', 'incomplete')), 0), \
            COALESCE(SUM(due AND state = 'complete' AND changed), 0) FROM (\(statement.sql))
            """
        return statement
    }

    /// A record that is yet to be created is no parent: the origin does not know it.
    static let isAtOrigin: SQL = """
        (pending = 0 OR EXISTS (SELECT 1 FROM siding_bases AS b
            WHERE b.resource = siding_records.resource AND b.key = siding_records.key AND b.body IS NOT NULL))
        """

    private func joined(
        selecting what: SQL, behind after: String?, withBodies: Bool
    ) throws(StoreError) -> Condition {
        var inner = Condition(
            sql: """
                resource = (SELECT id FROM siding_resources WHERE name = ?) AND deleted_at IS NULL \
                AND \(Self.isAtOrigin)
                """, arguments: [.text(selection.parent)])
        if let after {
            inner.sql = "\(inner.sql) AND key > ?"
            inner.arguments.append(.text(after))
        }
        if let keys = selection.keys {
            inner.sql = "\(inner.sql) AND key IN (SELECT value FROM json_each(?))"
            inner.arguments.append(.text(Self.json(keys)))
        }
        if let filter = selection.filter {
            let condition = try FilterCompiler.condition(filter)
            inner.sql = "\(inner.sql) AND (\(condition.sql))"
            inner.arguments += condition.arguments
        }
        let columns: SQL = withBodies ? "key, body, revision" : "key, revision"
        return Condition(
            sql: """
                SELECT \(what) FROM (SELECT \(columns) FROM siding_records WHERE \(inner.sql)) AS p \
                LEFT JOIN siding_listings AS l \
                ON l.resource = (SELECT id FROM siding_resources WHERE name = ?) AND l.scope = p.key
                """, arguments: inner.arguments + [.text(selection.resource)])
    }

    /// Whether a parent is to be asked about: one whose listing ended in this round is not.
    private var isDue: SQL {
        let isLeft: SQL = selection.round == nil ? "1" : "(l.round IS NOT ? OR l.state = 'open')"
        guard selection.areChanged else { return isLeft }
        return
            "(\(isLeft) AND (l.state IS NOT 'complete' OR l.parent_revision IS NULL OR p.revision > l.parent_revision))"
    }

    private var dueArguments: [SQLiteValue] { selection.round.map { [.integer($0)] } ?? [] }

    /// One parameter, however many.
    private static func json(_ keys: [String]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        keys.forEach { writer.string($0) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
