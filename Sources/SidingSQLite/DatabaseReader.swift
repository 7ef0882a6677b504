internal import SidingSynchronization

/// Reads of a database file beside its writer, several at a time: a long read does not hold up a short one.
///
/// Each read has a read-only connection to itself, with a queue of its own. The first connection is opened with the reader,
/// another one when all are in use; when ``limit`` reads are under way, further ones wait, first come, first served. In WAL
/// mode readers neither wait for the writer nor hold it up (sqlite.org/wal.html, "Concurrency").
public actor DatabaseReader {
    /// The most connections that are open at a time.
    static let limit = 4

    public nonisolated let path: String
    private let file: DatabaseFile
    private let configuration: DatabaseConfiguration
    /// Connections that nobody uses now. The last one given back is the first one taken: its cache holds what was read.
    private var idle: [ReadConnection]
    /// All connections: those in use, those that are being opened, and the idle ones.
    private var count = 1
    private var waiting: [CheckedContinuation<ReadConnection, Never>] = []
    private var closing: [CheckedContinuation<Void, Never>] = []
    private(set) var isClosed = false

    /// Opens a database of ours that is there already.
    ///
    /// - Throws: ``SQLiteError`` as ``Database/open(at:configuration:)``; `cannotOpen` where there is no file.
    public static func open(
        at path: String, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws(SQLiteError) -> DatabaseReader {
        let file = try DatabaseFile(at: path, createDirectory: false)
        try file.checkSafety(allowsNetworkFileSystem: configuration.allowsNetworkFileSystem)
        let first = try await ReadConnection.open(file, configuration)
        return DatabaseReader(file, configuration, first: first)
    }

    private init(_ file: DatabaseFile, _ configuration: DatabaseConfiguration, first: ReadConnection) {
        path = file.path
        self.file = file
        self.configuration = configuration
        idle = [first]
    }

    /// Reads inside one transaction: everything is of the moment of the first statement.
    ///
    /// Keep it short: while it lasts, the WAL cannot be emptied, and three other reads are all that can run beside it.
    /// - Throws: what `body` throws; ``SQLiteError``, also after ``close()``.
    public func read<T: Sendable>(_ body: sending (borrowing Snapshot) throws -> T) async throws -> T {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await connection.read(body)
    }

    /// Copies the database, whole as of one moment, to a new file (0600), while writes go on.
    ///
    /// - Throws: ``SQLiteError``; `cannotOpen` if something is at `destination` already. No half-written file remains.
    public func backup(to destination: String) async throws(SQLiteError) {
        let connection = try await take()
        defer { giveBack(connection) }
        try await connection.backup(to: destination)
    }

    /// Looks for damage: SQLite's integrity check, and foreign keys without their row. Reads the whole file, while writes
    /// go on.
    ///
    /// - Parameter quick: leaves out the comparison of indexes with their tables.
    /// - Returns: what is wrong, a line each; empty when all is well.
    public func check(quick: Bool) async throws(SQLiteError) -> [String] {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await connection.findings(quick: quick)
    }

    /// Closes all connections when the reads that were asked for before have ended; later reads throw.
    public func close() async {
        isClosed = true
        if idle.count < count { await withCheckedContinuation { closing.append($0) } }
        let connections = idle
        idle = []
        count = 0
        for connection in connections { await connection.close() }
    }

    /// How many reads wait for a connection.
    var readsInLine: Int { waiting.count }

    private func take() async throws(SQLiteError) -> ReadConnection {
        guard !isClosed else {
            throw SQLiteError(.other, "it is closed", operation: "use the database", path: path)
        }
        if let connection = idle.popLast() { return connection }
        if count < Self.limit, waiting.isEmpty {
            count += 1
            if let another = try? await ReadConnection.open(file, configuration) { return another }
            // No descriptor or no memory is left for another one: those that are open serve all the same.
            count -= 1
            if let connection = idle.popLast() { return connection }
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func giveBack(_ connection: ReadConnection) {
        guard waiting.isEmpty else {
            waiting.removeFirst().resume(returning: connection)
            return
        }
        idle.append(connection)
        guard idle.count == count else { return }
        for close in closing { close.resume() }
        closing = []
    }
}

/// One read-only connection and the queue on which it works.
private actor ReadConnection {
    private nonisolated let executor = SerialWorker(label: "siding.database.reader")
    private let path: String
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    static func open(
        _ file: DatabaseFile, _ configuration: DatabaseConfiguration
    ) async throws(SQLiteError) -> ReadConnection {
        let opened = ReadConnection(path: file.path)
        try await opened.connect(to: file, configuration)
        return opened
    }

    private init(path: String) {
        self.path = path
    }

    private func connect(to file: DatabaseFile, _ configuration: DatabaseConfiguration) throws(SQLiteError) {
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
            throw SQLiteError(.other, "it is closed", operation: "use the database", path: path)
        }
        return connection
    }
}
