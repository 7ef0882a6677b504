import CSQLite
internal import SidingSynchronization

/// A read-only connection with a queue of its own: reads here never hold up the writer, nor wait for it.
public actor DatabaseReader {
    public nonisolated let path: String
    private nonisolated let executor = SerialWorker(label: "siding.database.reader")
    private var connection: Connection?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a database of ours that is there already.
    ///
    /// - Throws: ``SQLiteError`` as ``Database/open(at:configuration:)``; `cannotOpen` where there is no file.
    public static func open(
        at path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws(SQLiteError) -> DatabaseReader {
        let file = try DatabaseFile(at: path, createDirectory: false)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem)
        let reader = DatabaseReader(path: file.path)
        try await reader.connect(to: file, configuration)
        return reader
    }

    private init(path: String) {
        self.path = path
    }

    private func connect(to file: DatabaseFile, _ configuration: DatabaseConfiguration) throws(SQLiteError) {
        connection = try Connection.openReader(file, configuration)
    }

    /// Reads inside one transaction: everything is of the moment of the first statement.
    ///
    /// Keep it short: while it lasts, the WAL cannot be emptied.
    public func read<T: Sendable>(_ body: sending (borrowing Snapshot) throws -> T) throws -> T {
        try openConnection().read(body)
    }

    /// Closes the connection; a later read throws.
    public func close() {
        connection?.close()
        connection = nil
    }

    /// Copies the database, whole as of one moment, to a file that must not exist.
    public func backup(to destination: String) throws(SQLiteError) {
        try openConnection().backup(to: destination)
    }

    /// SQLite's integrity check: what is wrong, a line each.
    ///
    /// - Parameter quick: leaves out the comparison of indexes with their tables.
    public func check(quick: Bool) throws(SQLiteError) -> [String] {
        try openConnection().findings(quick: quick)
    }

    private func openConnection() throws(SQLiteError) -> Connection {
        guard let connection else {
            throw SQLiteError(.other, "it is closed", operation: "use the database", path: path)
        }
        return connection
    }
}
