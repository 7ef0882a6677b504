/// Read access inside one transaction: everything it reads is of one moment.
///
/// It lives as long as the closure that gets it; a statement that could write is refused.
public struct Snapshot: ~Copyable, Queryable {
    let connection: Connection

    init(of connection: Connection) {
        self.connection = connection
    }

    public func prepare(_ sql: SQL) throws(SQLiteError) -> Statement {
        let statement = try Statement(sql, on: connection)
        guard statement.isReadOnly, !statement.isControl else { throw statement.refusal("a snapshot only reads") }
        return statement
    }
}
