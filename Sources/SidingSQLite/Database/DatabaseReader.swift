// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Reads a database file beside its writer, several reads at a time, so that a long read does not delay a short one.
///
/// Each read has its own read-only connection with its own queue. The first connection is opened with the reader, others when
/// all are in use. Beyond ``limit`` concurrent reads, further ones wait in order, or until their task is cancelled. In WAL mode
/// readers and the writer do not block each other (sqlite.org/wal.html, "Concurrency").
public actor DatabaseReader {
    /// The maximum number of open connections.
    static let limit = 4

    /// The file's path, with symbolic links in its directory resolved.
    public nonisolated let path: String
    private let file: DatabaseFile
    private let opened: DatabaseFile.Identity?
    private let configuration: DatabaseConfiguration
    /// Grants the open connections. The one returned last is used first, as its cache is warm.
    private let line: WaitingLine<ReadConnection>
    /// The number of connections in use, being opened, and idle.
    private var count = 1
    private var closing: [CheckedContinuation<Void, Never>] = []
    private(set) var isClosed = false

    /// Opens an existing Siding database.
    ///
    /// - Throws: ``SQLiteError`` as ``Database/open(at:configuration:)``; `cannotOpen` if there is no file.
    public static func open(
        at path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws(SQLiteError) -> DatabaseReader {
        let file = try DatabaseFile(at: path, createDirectory: false)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem, isReading: true)
        let first = try await ReadConnection.open(file, configuration)
        return DatabaseReader(file, configuration, first: first)
    }

    private init(_ file: DatabaseFile, _ configuration: DatabaseConfiguration, first: ReadConnection) {
        path = file.path
        self.file = file
        opened = file.identity
        self.configuration = configuration
        line = WaitingLine([first])
    }

    /// Whether the path still leads to the file that was opened. What is written to a file that was removed or replaced is lost
    /// when it is closed.
    public nonisolated var isInPlace: Bool { file.identity == opened }

    /// Runs `body` in one read transaction: it sees the database as of its first statement.
    ///
    /// Keep it short: until it ends the WAL cannot be emptied, and at most three other reads can run.
    /// - Throws: the error of `body`; ``SQLiteError``, also after ``close()``.
    public func read<T: Sendable>(_ body: sending (borrowing Snapshot) throws -> T) async throws -> T {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await connection.read(body)
    }

    /// Copies a consistent snapshot of the database to a new file (0600), while writes continue.
    ///
    /// - Throws: ``SQLiteError``; `cannotOpen` if `destination` exists. No incomplete file remains.
    public func backup(to destination: String) async throws(SQLiteError) {
        let connection = try await take()
        defer { giveBack(connection) }
        try await connection.backup(to: destination)
    }

    /// Checks for damage: SQLite's integrity check, and foreign keys to missing rows. Reads the whole file, while writes
    /// continue.
    ///
    /// - Parameter quick: skips the comparison of indexes with their tables.
    /// - Returns: the findings, one per line; empty if there are none.
    public func check(quick: Bool) async throws(SQLiteError) -> [String] {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await connection.findings(quick: quick)
    }

    /// Closes all connections after the reads already requested; later reads throw.
    public func close() async {
        isClosed = true
        if line.freeCount < count { await withCheckedContinuation { closing.append($0) } }
        count = 0
        while let connection = line.takeFree() { await connection.close() }
    }

    /// The number of reads that wait for a connection.
    var readsInLine: Int { line.count }

    private func take() async throws(SQLiteError) -> ReadConnection {
        guard !isClosed else {
            throw SQLiteError(.closed, "it is closed", operation: "use the database", path: path)
        }
        if let connection = line.takeFree() { return connection }
        if count < Self.limit, readsInLine == 0 {
            count += 1
            if let another = try? await ReadConnection.open(file, configuration) { return another }
            // Too few descriptors or too little memory for another connection: wait for one of the open ones.
            count -= 1
        }
        return try await waitInLine()
    }

    private func waitInLine() async throws(SQLiteError) -> ReadConnection {
        switch line.arrive() {
        case .granted(let connection): return connection
        case .waits(let place):
            guard case .granted(let connection) = await line.wait(at: place) else {
                throw SQLiteError(.cancelled, "the task was cancelled", operation: "read the database", path: path)
            }
            return connection
        }
    }

    private func giveBack(_ connection: ReadConnection) {
        line.give(connection)
        guard line.freeCount == count else { return }
        for close in closing { close.resume() }
        closing = []
    }
}

/// One read-only connection with its own queue.
private actor ReadConnection {
    private nonisolated let executor = SerialWorker(label: "siding.database.reader")
    private let file: DatabaseFile
    private let configuration: DatabaseConfiguration
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static func open(
        _ file: DatabaseFile, _ configuration: DatabaseConfiguration
    ) async throws(SQLiteError) -> ReadConnection {
        let opened = ReadConnection(file, configuration)
        try await opened.connect()
        return opened
    }

    private init(_ file: DatabaseFile, _ configuration: DatabaseConfiguration) {
        (self.file, self.configuration) = (file, configuration)
    }

    private func connect() throws(SQLiteError) {
        connection = try Connection.openReader(file, configuration)
    }

    func read<T: Sendable>(_ body: sending (borrowing Snapshot) throws -> T) throws -> T {
        try openConnection().read(body)
    }

    func backup(to destination: String) throws(SQLiteError) {
        try openConnection().backup(to: destination)
    }

    func findings(quick: Bool) throws(SQLiteError) -> [String] {
        try openConnection().findings(quick: quick)
    }

    func close() {
        connection?.close()
        connection = nil
    }

    private func openConnection() throws(SQLiteError) -> Connection {
        guard let connection else {
            throw SQLiteError(.closed, "it is closed", operation: "use the database", path: file.path)
        }
        guard try connection.isOutdated else { return connection }
        let new = try Connection.openReader(file, configuration)
        connection.close()
        self.connection = new
        return new
    }
}
