// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSQLite

/// An HTTP response cache in an SQLite file of its own: it survives the process, and all processes that open the file
/// share it.
///
/// ```swift
/// let cache = try await SQLiteResponseCache.open(at: "responses.db")
/// let sender = ETagNode(RequestSenderNode(transport), cache: cache, keying: CacheKeying(account: "me"))
/// ```
/// Reads write nothing except a timestamp once an hour, which decides the order of eviction. Calls throw
/// `Failure.Reason.notCached` with the underlying ``StoreError``. The file may be deleted while no program has it open.
public struct SQLiteResponseCache: ResponseCache {
    /// A read updates a row's timestamp if it is older than this.
    static let touchInterval = Duration.seconds(3600)

    let database: Database
    let reader: DatabaseReader
    private let clock: WallClock
    /// The maximum total size in bytes, by `CachedResponse.byteCount`.
    public let byteLimit: Int

    /// Opens the cache at `path`, or creates it with mode 0600 if there is no file.
    ///
    /// A power loss may undo the newest commits, each as a whole.
    /// - Parameters:
    ///   - path: the file, which holds nothing but the cache. A store is not accepted.
    ///   - byteLimit: the maximum total size in bytes; 64 MiB by default. A file that holds more shrinks with the next
    ///     response that is stored.
    ///   - clock: the time of each use.
    /// - Throws: ``StoreError`` that names the file and its fault: another program's, a newer version's, damaged,
    ///   unsafe, not accessible, on a network file system. The file is then unchanged.
    public static func open(
        at path: String, byteLimit: Int = 64 << 20, clock: WallClock = .system
    ) async throws(StoreError) -> SQLiteResponseCache {
        var configuration = DatabaseConfiguration()
        configuration.applicationID = ResponseCacheSchema.applicationID
        configuration.synchronous = .normal
        do throws(SQLiteError) {
            let database = try await Database.open(at: path, configuration: configuration)
            try await Migrator(migrations: ResponseCacheSchema.migrations).migrate(database)
            let reader = try await DatabaseReader.open(at: path, configuration: configuration)
            return SQLiteResponseCache(database: database, reader: reader, clock: clock, byteLimit: byteLimit)
        } catch {
            throw Self.mapped(error, path)
        }
    }

    /// Closes the file after the calls already made; later calls throw.
    public func close() async {
        await reader.close()
        // The next process then has no log to read.
        _ = try? await database.checkpointIfNeeded(over: 0, waits: false)
        await database.close()
    }

    /// The stored response for a request, without its body; nil if there is none. Reads only: it does not count as a
    /// use.
    public func head(for request: CacheRequest) async throws(Failure) -> CachedHead? {
        try await failing { try await reader.read { try ResponsesTable.find(request, $0)?.head } }
    }

    /// The stored response for a request; nil if there is none. Counts as a use, noted at most once an hour.
    public func response(for request: CacheRequest) async throws(Failure) -> CachedResponse? {
        let found = try await failing {
            try await reader.read { snapshot -> (row: ResponsesTable.FoundResponse, body: [UInt8])? in
                guard let row = try ResponsesTable.find(request, snapshot) else { return nil }
                return (row, try ResponsesTable.body(row.id, snapshot))
            }
        }
        guard let found else { return nil }
        await markUsed(found.row)
        return CachedResponse(head: found.row.head, body: found.body)
    }

    /// Stores a response in one transaction, in place of the one with the same key and variant, and of those that vary
    /// on other header fields. The least recently used are removed to make room.
    ///
    /// - Returns: false if the response alone is larger than ``byteLimit``; nothing is changed then.
    @discardableResult
    public func store(_ response: CachedResponse) async throws(Failure) -> Bool {
        guard response.byteCount <= byteLimit else { return false }
        let (now, limit) = (clock.now, byteLimit)
        try await failing {
            try await database.write { transaction in
                try ResponsesTable.removeOtherVariants(of: response.head, transaction)
                let id = try ResponsesTable.insert(response, usedAt: now, transaction)
                try ResponsesTable.shrink(to: limit, sparing: id, transaction)
            }
        }
        return true
    }

    /// Updates header fields and times of a stored response after a 304; its body stays (RFC 9111 §4.3.4).
    ///
    /// - Returns: false if there is no such row, or its validators differ from those of `validated`; nothing is changed
    ///   then.
    public func refresh(_ head: CachedHead, validated: CachedHead) async throws(Failure) -> Bool {
        try await failing { try await database.write { try ResponsesTable.refresh(head, validated: validated, $0) } }
    }

    /// Removes every response with this key, whatever the variant. Writes nothing if there is none.
    public func remove(_ key: CacheKey) async throws(Failure) {
        try await failing {
            // Read first: most calls have nothing to remove, and a write would wait for the writer.
            guard try await reader.read({ try ResponsesTable.exists(key, $0) }) else { return }
            try await database.write { try ResponsesTable.remove(key, $0) }
        }
    }

    /// Removes every response of an account; for signing out.
    public func removeAll(ofAccount account: String) async throws(Failure) {
        try await failing { try await database.write { try ResponsesTable.removeAll(ofAccount: account, $0) } }
    }

    /// Removes the least recently used responses until their total size is at most this number of bytes; 0 removes all.
    /// The file becomes smaller too.
    public func evict(to bytes: Int) async throws(Failure) {
        try await failing {
            try await database.write { transaction in
                try ResponsesTable.shrink(to: bytes, sparing: nil, transaction)
                try transaction.giveBack(pages: Int(Int32.max))
            }
            // The pages leave the file when the log is written back to it.
            try await database.checkpointIfNeeded(over: 0, waits: false)
        }
    }

    /// Updates the timestamp, at most once an hour. A failure is ignored: the disk may be full.
    private func markUsed(_ row: ResponsesTable.FoundResponse) async {
        let now = clock.now
        let idle = now - row.usedAt
        // A timestamp in the future comes from a clock that was set back, and would keep the row for ever.
        guard idle >= Self.touchInterval || idle < .zero else { return }
        _ = try? await database.write { try ResponsesTable.setUsed(row.id, at: now, $0) }
    }

    @discardableResult
    private func failing<Value>(_ body: () async throws -> Value) async throws(Failure) -> Value {
        do { return try await body() } catch {
            let error = Self.mapped(error, database.path)
            guard error.kind != .cancelled else { throw Failure(.cancelled, phase: .notSent) }
            throw Failure(.notCached, phase: .notSent, detail: error.message, underlying: error)
        }
    }

    /// The error of the store, in the words for a cache where those for a store would mislead.
    private static func mapped(_ error: any Error, _ path: String) -> StoreError {
        let error = StoreError(mapping: error)
        let hint = "delete the file while no program has it open: it holds nothing but cached responses"
        return switch error.kind {
        case .foreign:
            StoreError(
                .foreign, "\(path) is not a response cache, and was left as it is",
                hint: "give the cache a file of its own")
        case .newer: StoreError(.newer, "a newer Siding wrote the response cache \(path)", hint: hint)
        case .corrupt: StoreError(.corrupt, "the response cache \(path) is damaged", hint: hint)
        case .closed: StoreError(.closed, "the response cache \(path) is closed", hint: "open it again")
        default: error
        }
    }
}
