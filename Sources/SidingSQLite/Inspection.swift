import CSQLite

/// Runs one statement that a person typed, such that it can neither change anything nor go on for ever.
///
/// Read-only connection, `query_only`, an authorizer, SQLite's limits and a bound on its time; exactly one statement.
public struct Inspection: Sendable {
    public let path: String
    public let timeLimit: Duration
    public let configuration: DatabaseConfiguration

    /// - Parameter timeLimit: How long SQLite may work; the time that the caller takes for a row does not count.
    public init(
        of path: String, timeLimit: Duration = .seconds(60), configuration: DatabaseConfiguration = .init()
    ) {
        self.path = path
        self.timeLimit = timeLimit
        self.configuration = configuration
    }

    /// Streams the result: the names of the columns once, then each row.
    ///
    /// - Throws: ``SQLiteError``: `readOnly` for a statement that does more than read, `timeLimit`, `cancelled`,
    /// `other`   for faulty SQL; or what a closure throws.
    public func run(
        _ sql: SQL, columns: sending ([String]) throws -> Void, row: sending ([SQLiteValue]) throws -> Void
    ) async throws {
        let file = try DatabaseFile(at: path, createDirectory: false)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem)
        try await Inspector().run(sql, on: file, self, columns: columns, row: row)
    }
}

/// Gives an inspection its own thread.
private actor Inspector {
    private nonisolated let executor = SerialQueueExecutor(label: "siding.inspection")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(
        _ sql: SQL, on file: DatabaseFile, _ inspection: Inspection,
        columns: ([String]) throws -> Void, row: ([SQLiteValue]) throws -> Void
    ) throws {
        let budget = TimeBudget(inspection.timeLimit)
        let connection = try Connection.openReader(file, inspection.configuration)
        defer { connection.close() }
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
        InspectionAuthorizer.install(on: connection)
        budget.watch(connection)

        let statement = try connection.prepareForInspection(sql.text)
        defer { sqlite3_finalize(statement) }
        let count = sqlite3_column_count(statement)
        try columns((0..<count).map { String(cString: sqlite3_column_name(statement, $0)) })
        while true {
            switch budget.spend({ sqlite3_step(statement) }) {
            case SQLITE_ROW:
                let current = Row(of: statement)
                try row((0..<Int(count)).map { current.value($0) })
            case SQLITE_DONE:
                return
            case let code:
                throw Self.failure(code, budget.end, connection, sql, inspection)
            }
        }
    }

    private static func failure(
        _ code: Int32, _ end: TimeBudget.End?, _ connection: Connection, _ sql: SQL, _ inspection: Inspection
    ) -> SQLiteError {
        let operation = "run the statement"
        switch end {
        case nil:
            return connection.error(code, operation, sql: sql.text)
        case .cancelled:
            return SQLiteError(
                .cancelled, "it was cancelled", operation: operation, path: connection.path, sql: sql.text)
        case .timeLimit:
            let message = "it took longer than \(inspection.timeLimit)"
            return SQLiteError(.timeLimit, message, operation: operation, path: connection.path, sql: sql.text)
        }
    }
}

extension Connection {
    /// Compiles exactly one reading statement without parameters; blanks and comments may follow it.
    fileprivate func prepareForInspection(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        let statement = try prepare(sql)
        do throws(SQLiteError) {
            guard sqlite3_stmt_readonly(statement) != 0, sqlite3_column_count(statement) > 0 else {
                throw refusal("it is no statement that reads", sql: sql)
            }
            guard sqlite3_bind_parameter_count(statement) == 0 else {
                throw refusal("it has a parameter (?), for which there is no value", sql: sql)
            }
        } catch {
            sqlite3_finalize(statement)
            throw error
        }
        return statement
    }
}
