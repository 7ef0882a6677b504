internal import SidingSQLite

/// Compiles a ``RecordSelection`` to one statement.
struct SelectionCompiler {
    let selection: RecordSelection
    let table: RecordsTable

    /// `SELECT what FROM … WHERE …`, in the selection's order and bounds.
    func statement(selecting what: SQL) throws(StoreError) -> Condition {
        var statement = try conditions()
        statement.sql = "SELECT \(what) FROM \(table.rows) WHERE \(statement.sql) ORDER BY \(try order())"
        bound(&statement)
        return statement
    }

    /// `SELECT COUNT(*) …` for the selection.
    func count() throws(StoreError) -> Condition {
        var statement = try conditions()
        guard selection.limit != nil || selection.offset > 0 else {
            statement.sql = "SELECT COUNT(*) FROM \(table.rows) WHERE \(statement.sql)"
            return statement
        }
        statement.sql = "SELECT 1 FROM \(table.rows) WHERE \(statement.sql)"
        bound(&statement)
        statement.sql = "SELECT COUNT(*) FROM (\(statement.sql))"
        return statement
    }

    private func conditions() throws(StoreError) -> Condition {
        var condition = Condition(sql: "deleted_at IS NULL")
        if let after = selection.after {
            condition.sql = "\(condition.sql) AND key > ?"
            condition.arguments.append(table.key(after))
        }
        if let filter = selection.filter {
            let inner = try FilterCompiler.condition(filter)
            condition.sql = "\(condition.sql) AND (\(inner.sql))"
            condition.arguments += inner.arguments
        }
        return condition
    }

    private func order() throws(StoreError) -> SQL {
        var terms: [SQL] = []
        for order in selection.order {
            let member = try FilterCompiler.member(order.path)
            terms.append(order.isDescending ? "\(member) DESC" : member)
        }
        return terms.reversed().reduce("key") { "\($1), \($0)" }
    }

    private func bound(_ statement: inout Condition) {
        guard selection.limit != nil || selection.offset > 0 else { return }
        // SQLite treats a negative limit as none (https://sqlite.org/lang_select.html#limitoffset).
        statement.sql = "\(statement.sql) LIMIT ? OFFSET ?"
        let limit = selection.limit.map { max($0, 0) } ?? -1
        statement.arguments += [.integer(Int64(limit)), .integer(Int64(max(selection.offset, 0)))]
    }
}

extension Queryable where Self: ~Copyable {
    /// All rows of a compiled statement.
    func query<T>(_ condition: Condition, map: (borrowing Row) throws -> T) throws -> [T] {
        var statement = try prepare(condition.sql)
        try statement.bind(all: condition.arguments)
        var results: [T] = []
        while try statement.step() { results.append(try map(statement.row)) }
        return results
    }
}
