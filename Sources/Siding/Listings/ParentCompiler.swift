// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Compiles a ``ParentSelection`` into one statement.
struct ParentCompiler {
    let selection: ParentSelection
    /// The table of the parents.
    let parents: RecordsTable
    /// The id of the resource with the listings; nil if nothing is stored of it.
    private let resource: Int64?

    init(_ selection: ParentSelection, _ database: borrowing some Queryable & ~Copyable) throws {
        self.selection = selection
        // No rows where nothing is stored of them.
        parents =
            try RecordsTable.load(named: selection.parent, database)
            ?? RecordsTable(row: ResourceRow(id: 0, name: selection.parent, source: "", storedDefinition: "{}"))
        resource = try ResourcesTable.id(of: selection.resource, database)
    }

    /// The due parents, in the order of their keys.
    func due() throws(StoreError) -> BoundSQL {
        var statement = try joined(
            selecting: "p.text AS key, p.body, p.revision", behind: selection.after, withBodies: true)
        statement.sql = "\(statement.sql) WHERE \(isDue) ORDER BY p.key LIMIT ?"
        statement.arguments += dueArguments + [.integer(Int64(selection.limit ?? -1))]
        return statement
    }

    /// The keys of the due parents alone, in their order.
    func dueKeys() throws(StoreError) -> BoundSQL {
        var statement = try joined(selecting: "p.text AS key", behind: selection.after, withBodies: false)
        statement.sql = "\(statement.sql) WHERE \(isDue) ORDER BY p.key"
        statement.arguments += dueArguments
        return statement
    }

    /// One row of counts: all, due, new, unfinished, changed.
    func outlook() throws(StoreError) -> BoundSQL {
        let marks: SQL = "\(isDue) AS due, l.state AS state, p.revision > l.parent_revision AS changed"
        var statement = try joined(selecting: marks, behind: selection.after, withBodies: false)
        // The marks precede the join, and so do their values.
        statement.arguments = dueArguments + statement.arguments
        statement.sql = """
            SELECT COUNT(*) AS "all", COALESCE(SUM(due), 0) AS due, COALESCE(SUM(due AND state IS NULL), 0) AS new, \
            COALESCE(SUM(due AND state IN ('open', 'incomplete')), 0) AS unfinished, \
            COALESCE(SUM(due AND state = 'complete' AND changed), 0) AS changed FROM (\(statement.sql))
            """
        return statement
    }

    /// A record that is yet to be created is not a parent, as the origin does not know it, and neither is one whose id is not
    /// known here.
    ///
    /// - Parameter parent: the parent's row, by its name in the statement.
    static func isAtOrigin(_ parent: SQL, in table: RecordsTable) -> SQL {
        """
        (\(parent).pending = 0 OR EXISTS (SELECT 1 FROM siding_server_copies AS b
            WHERE b.resource = \(integer: table.resource) AND b.key = CAST(\(parent).key AS TEXT) AND b.body IS NOT NULL))
        AND NOT \(UnnamedCreates.hasTemporaryKey(parent))
        """
    }

    private func joined(selecting what: SQL, behind after: String?, withBodies: Bool) throws(StoreError) -> BoundSQL {
        var inner = BoundSQL(sql: "deleted_at IS NULL AND \(Self.isAtOrigin("r", in: parents))")
        if let after {
            inner.sql = "\(inner.sql) AND key > ?"
            inner.arguments.append(parents.key(after))
        }
        if let keys = selection.keys {
            inner.sql = "\(inner.sql) AND key IN (SELECT value FROM json_each(?))"
            inner.arguments.append(.text(json(keys)))
        }
        if let filter = selection.filter {
            let condition = try FilterCompiler.condition(filter)
            inner.sql = "\(inner.sql) AND (\(condition.sql))"
            inner.arguments += condition.arguments
        }
        let columns: SQL =
            withBodies
            ? "key, CAST(key AS TEXT) AS text, body, revision" : "key, CAST(key AS TEXT) AS text, revision"
        return BoundSQL(
            sql: """
                SELECT \(what) FROM (SELECT \(columns) FROM \(parents.rows) AS r WHERE \(inner.sql)) AS p \
                LEFT JOIN siding_listings AS l ON l.resource = ? AND l.scope = p.text
                """, arguments: inner.arguments + [resource.map(SQLiteValue.integer) ?? .null])
    }

    /// Whether a parent is due: its listing has not ended in this fan-out pass.
    private var isDue: SQL {
        let isLeft: SQL = selection.pass == nil ? "1" : "((l.pass IS NOT ? OR l.state = 'open') AND \(isInTurn))"
        guard selection.areChanged else { return isLeft }
        return
            "(\(isLeft) AND (l.state IS NOT 'complete' OR l.parent_revision IS NULL OR p.revision > l.parent_revision))"
    }

    /// Every run that asks for a listing without a page begins it anew.
    private var isInTurn: SQL {
        let isAskedInVain: SQL = "(l.pass IS ? AND l.state = 'open' AND l.run <> ?)"
        return switch selection.turn {
        case .first: "NOT \(isAskedInVain)"
        case .again: isAskedInVain
        case nil: "1"
        }
    }

    private var dueArguments: [SQLiteValue] {
        guard let pass = selection.pass else { return [] }
        return switch selection.turn {
        case .first(let run), .again(let run): [.integer(pass), .integer(pass), .integer(run)]
        case nil: [.integer(pass)]
        }
    }

    /// Any number of keys as one parameter.
    private func json(_ keys: [String]) -> String {
        var writer = JSONWriter()
        writer.beginArray()
        for key in keys {
            switch parents.key(key) {
            case .integer(let integer): writer.integer(integer)
            case .text(let text): writer.string(text)
            case .null, .real, .blob: break
            }
        }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
