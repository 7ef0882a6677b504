internal import SidingSynchronization

/// A database file with one read-write connection: the place where all writes of this process come in order.
///
/// Bodies are synchronous, so nothing can wait inside a transaction for a network or a person. Other processes and other
/// `Database` values may have the same file open: a lock file beside it (`<path>.writer`) puts all writers in one order.
/// What is read for its own sake is read by a ``DatabaseReader``.
/// ```swift
/// let database = try await Database.open(at: "tracker.db")
/// try await database.write { transaction in
///     try transaction.execute("INSERT INTO records(key, body) VALUES (?, ?)", key, body)
/// }
/// ```
/// While it is open, no other code of the process may open or copy the file or its `-wal` and `-shm`: closing any
/// descriptor of them drops SQLite's locks (sqlite.org/howtocorrupt.html, section 2.2). ``DatabaseReader/backup(to:)`` copies
/// safely.
public actor Database {
    /// The file's path with the links of its directory resolved.
    public nonisolated let path: String
    public nonisolated let configuration: DatabaseConfiguration
    private nonisolated let executor = SerialWorker(label: "siding.database")
    private let lock: WriterLock
    private var connection: Connection?
    /// No automatic checkpoint is tried below this length of the WAL.
    private var pagesForCheckpoint: Int

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the file, or makes it with mode 0600 (and its directory with 0700) where it is missing.
    ///
    /// - Throws: ``SQLiteError``: `foreignFile` or `notADatabase` for a file that is not ours, `unsafeFile` for one that
    ///   others could exchange, `networkFileSystem`, `permission`, `corrupt` and so on. The file is then as it was.
    public static func open(
        at path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws(SQLiteError) -> Database {
        let file = try DatabaseFile(at: path, createDirectory: true)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem)
        let database = Database(file, configuration)
        try await database.connect(to: file)
        return database
    }

    private init(_ file: DatabaseFile, _ configuration: DatabaseConfiguration) {
        path = file.path
        self.configuration = configuration
        lock = WriterLock(path: file.writerLockPath, timeout: configuration.writerLockTimeout)
        pagesForCheckpoint = configuration.checkpointThreshold
    }

    private func connect(to file: DatabaseFile) throws(SQLiteError) {
        connection = try Connection.openWriter(file, configuration, lock)
    }

    /// Runs statements that make what belongs to this connection alone, as TEMP triggers do: they touch nothing in the file and
    /// wait for no other writer.
    public func equip(_ statements: [SQL]) throws(SQLiteError) {
        let connection = try openConnection()
        try connection.run("PRAGMA temp_store = MEMORY", operation: "equip the connection")
        for statement in statements { try connection.run(statement.text, operation: "equip the connection") }
    }

    // MARK: Transactions

    /// One write transaction (BEGIN IMMEDIATE … COMMIT) under the writer lock: all of it is kept, or nothing.
    ///
    /// When the WAL has grown past the threshold, the commit is followed by a checkpoint.
    /// - Throws: What `body` throws, after ROLLBACK; or ``SQLiteError``: `busy` when the writer lock is not to be had
    ///   within `writerLockTimeout`, `cancelled` when the task is cancelled while it waits for it.
    public func write<T: Sendable>(_ body: sending (borrowing Transaction) throws -> T) throws -> T {
        let connection = try openConnection()
        try lock.acquire()
        defer { lock.release() }
        let result = try connection.write(body)
        checkpointAfterCommit(connection)
        return result
    }

    // MARK: The WAL

    /// Bytes of the WAL file.
    public var walBytes: Int { connection?.sizeOfWAL ?? 0 }

    /// Checkpoints if the WAL has more than `pages` pages (the configured threshold by default); 0 after some idle time
    /// leaves a small file behind.
    ///
    /// - Parameter waits: whether it waits for its turn among the writers; else it is `.busy` where another writes now.
    /// - Throws: ``SQLiteError`` as ``write(_:)`` does; a reader in the way is no error but `.busy`.
    @discardableResult
    public func checkpointIfNeeded(
        over pages: Int? = nil, waits: Bool = true
    ) throws(SQLiteError) -> CheckpointOutcome {
        let connection = try openConnection()
        guard connection.pagesInWAL > pages ?? configuration.checkpointThreshold - 1 else { return .notNeeded }
        if waits { try lock.acquire() } else if try !lock.tryAcquire() { return .busy }
        defer { lock.release() }
        return try connection.checkpoint(configuration)
    }

    /// The commit counts already: a checkpoint that fails or finds a reader is tried again when the WAL is a quarter of
    /// the threshold longer.
    private func checkpointAfterCommit(_ connection: Connection) {
        guard connection.pagesInWAL >= pagesForCheckpoint else { return }
        if case .done? = try? connection.checkpoint(configuration) {
            pagesForCheckpoint = configuration.checkpointThreshold
        } else {
            pagesForCheckpoint = connection.pagesInWAL + max(configuration.checkpointThreshold / 4, 1)
        }
    }

    // MARK: The connection

    /// Closes the connection; calls after it throw. The last reference going away closes it too.
    public func close() {
        connection?.close()
        connection = nil
    }

    /// Runs `body` with the connection and the writer lock, outside any transaction.
    func withWriter<T: Sendable>(_ body: (Connection) throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        let connection = try openConnection()
        try lock.acquire()
        defer { lock.release() }
        return try body(connection)
    }

    func openConnection() throws(SQLiteError) -> Connection {
        guard let connection else {
            throw SQLiteError(.other, "it is closed", operation: "use the database", path: path)
        }
        return connection
    }
}

/// What became of a checkpoint.
public enum CheckpointOutcome: Sendable, Hashable {
    /// The WAL is below the threshold.
    case notNeeded
    /// Everything is in the database file, the WAL is empty.
    case done
    /// A reader is in the way: nothing is wrong, try later.
    case busy
}
