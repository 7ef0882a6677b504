// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// Runs one statement typed by the user, so that it can neither change anything nor run for ever.
///
/// It uses a read-only connection, `query_only`, an authorizer, SQLite's limits and a time limit; exactly one statement.
public struct Inspection: Sendable {
    /// The path of the database file.
    public let path: String
    /// How long SQLite may work; 60 s by default.
    public let timeLimit: Duration
    /// The limits of the connection: page cache, longest value, waits.
    public let configuration: DatabaseConfiguration
    /// Views that replace those of the file; nil to see the file as it is.
    public let replacement: ViewReplacement?
    /// The values of the statement's parameters, by their names without `:`, `@` or `$`.
    public let parameters: [String: SQLiteValue]

    /// TEMP views that replace views of the file for this connection.
    public struct ViewReplacement: Sendable {
        /// The SELECT of each view, by its name.
        public var views: [String: SQL]
        /// The views that may read hidden tables. None may have the name of a view in the file, because the authorizer would then
        /// let the file's own view read them too.
        public var readers: Set<String>
        /// Tables and views of the file, in lower case, that only ``readers`` may read.
        public var hidden: Set<String>

        /// The parameters are the properties of the same names.
        public init(views: [String: SQL], readers: Set<String>, hidden: Set<String>) {
            (self.views, self.readers, self.hidden) = (views, readers, hidden)
        }
    }

    /// Thrown if the statement reads a table that a ``ViewReplacement`` hides.
    public struct HiddenTable: Error {
        /// The table or view, spelled as in the statement or the schema.
        public let name: String
    }

    /// - Parameter timeLimit: how long SQLite may work; the time that the caller spends on rows does not count.
    public init(
        of path: String, timeLimit: Duration = .seconds(60), configuration: DatabaseConfiguration = .init(),
        replacement: ViewReplacement? = nil, parameters: [String: SQLiteValue] = [:]
    ) {
        self.replacement = replacement
        self.parameters = parameters
        self.path = path
        self.timeLimit = timeLimit
        self.configuration = configuration
    }

    /// Streams the result: the column names once, then each row.
    ///
    /// - Throws: ``SQLiteError``: `readOnly` for a statement that does more than read, `timeLimit`, `cancelled`, `other`
    ///   for invalid SQL; ``HiddenTable``; ``ParameterMismatch``; or the error of a closure.
    public func run(
        _ sql: SQL, columns: sending ([String]) throws -> Void, row: sending ([SQLiteValue]) throws -> Void
    ) async throws {
        let file = try DatabaseFile(at: path, createDirectory: false)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem, isReading: true)
        try await Inspector().run(sql, on: file, self, columns: columns, row: row)
    }
}

/// Runs an inspection on its own thread.
private actor Inspector {
    private nonisolated let executor = SerialWorker(label: "siding.inspection")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(
        _ sql: SQL, on file: DatabaseFile, _ inspection: Inspection,
        columns: ([String]) throws -> Void, row: ([SQLiteValue]) throws -> Void
    ) throws {
        let budget = TimeBudget(inspection.timeLimit)
        let connection = try Connection.openReader(file, inspection.configuration)
        defer { connection.close() }
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
        DecimalCollation.install(on: connection)
        let authorizer = InspectionAuthorizer(inspection.replacement)
        try authorizer.createViews(on: connection)
        authorizer.install(on: connection)
        defer { withExtendedLifetime(authorizer) {} }
        budget.watch(connection)

        let statement: OpaquePointer
        do { statement = try connection.prepareForInspection(sql.text) } catch {
            if let name = authorizer.hiddenTable { throw Inspection.HiddenTable(name: name) }
            throw error
        }
        defer { sqlite3_finalize(statement) }
        try connection.bind(inspection.parameters, to: statement, sql: sql.text)
        let count = sqlite3_column_count(statement)
        try columns((0..<count).map { String(cString: sqlite3_column_name(statement, $0)) })
        while true {
            switch budget.spend({ sqlite3_step(statement) }) {
            case SQLITE_ROW:
                let current = Row(of: statement)
                try row((0..<Int(count)).map { current.value($0) })
            case SQLITE_DONE:
                return try connection.checkUnchanged("run the statement")
            case let code:
                try connection.checkUnchanged("run the statement")
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
    /// Compiles exactly one reading statement; whitespace and comments may follow it.
    fileprivate func prepareForInspection(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        let statement = try prepare(sql)
        do throws(SQLiteError) {
            guard sqlite3_stmt_readonly(statement) != 0, sqlite3_column_count(statement) > 0 else {
                throw refusal("it is not a statement that reads", sql: sql)
            }
        } catch {
            sqlite3_finalize(statement)
            throw error
        }
        return statement
    }
}

/// Limits the time that SQLite works on a statement; the caller's work on rows does not count.
final class TimeBudget {
    enum End {
        case timeLimit, cancelled
    }

    private var remaining: Duration
    private var deadline = ContinuousClock.now
    /// Why SQLite was stopped; nil if it was not.
    private(set) var end: End?

    init(_ limit: Duration) {
        remaining = limit
    }

    /// Makes SQLite check the budget every 1,000 virtual machine instructions. The budget must outlive the statements.
    func watch(_ connection: Connection) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            connection.handle, 1_000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<TimeBudget>.fromOpaque(context).takeUnretainedValue().isSpent ? 1 : 0
            }, context)
    }

    func spend<T>(_ work: () -> T) -> T {
        deadline = ContinuousClock.now.advanced(by: remaining)
        defer { remaining = ContinuousClock.now.duration(to: deadline) }
        return work()
    }

    private var isSpent: Bool {
        if Task.isCancelled { end = .cancelled } else if ContinuousClock.now >= deadline { end = .timeLimit }
        return end != nil
    }
}
