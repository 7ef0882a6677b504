// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// A database file with one read-write connection, which serializes all writes of this process.
///
/// Bodies are synchronous, so no transaction can wait for the network or a user. Other processes and other `Database` values
/// may have the same file open: a lock file beside it (`<path>.writer`) serializes all writers.
/// For plain reads use a ``DatabaseReader``.
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
    /// The file's path, with symbolic links in its directory resolved.
    public nonisolated let path: String
    /// The settings with which it was opened.
    public nonisolated let configuration: DatabaseConfiguration
    private nonisolated let executor = SerialWorker(label: "siding.database")
    private let lock: WriterLock
    private var connection: Connection?
    /// The WAL length in pages below which no automatic checkpoint is tried.
    private var pagesForCheckpoint: Int

    /// A thread of its own: SQLite blocks, and the threads of Swift's pool must not.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the file, or creates it with mode 0600 (and its directory with 0700) if it is missing.
    ///
    /// - Throws: ``SQLiteError``: `foreignFile` or `notADatabase` for a file that is no Siding database, `unsafeFile` for one
    ///   that other users could replace, `networkFileSystem`, `permission`, `corrupt` and so on. The file is then unchanged.
    public static func open(
        at path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws(SQLiteError) -> Database {
        let file = try DatabaseFile(at: path, createDirectory: true)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem)
        try file.checkFileSystem()
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

    /// Runs statements that create objects of this connection only, such as TEMP triggers: they change nothing in the file and
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
    package var walBytes: Int { connection?.sizeOfWAL ?? 0 }

    /// Checkpoints if the WAL has more than `pages` pages (by default the configured threshold). Pass 0 after some idle time to
    /// keep the file small.
    ///
    /// - Parameter waits: whether to wait for the writer lock; if false, the result is `.busy` while another process writes.
    /// - Throws: ``SQLiteError`` as ``write(_:)`` does; a blocking reader is no error but `.busy`.
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

    /// Tries a checkpoint; the commit stands in any case. After a failure or a blocking reader it is tried again once the WAL is
    /// longer by a quarter of the threshold.
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

    /// Runs `body` with the connection under the writer lock, outside any transaction.
    func withWriter<T: Sendable>(_ body: (Connection) throws(SQLiteError) -> T) throws(SQLiteError) -> T {
        let connection = try openConnection()
        try lock.acquire()
        defer { lock.release() }
        return try body(connection)
    }

    func openConnection() throws(SQLiteError) -> Connection {
        guard let connection else {
            throw SQLiteError(.closed, "it is closed", operation: "use the database", path: path)
        }
        return connection
    }
}

/// The result of a checkpoint.
public enum CheckpointOutcome: Sendable, Hashable {
    /// The WAL is shorter than the threshold.
    case notNeeded
    /// The whole WAL was moved into the database file and is empty.
    case done
    /// A reader or writer blocks the checkpoint; try again later.
    case busy
}
