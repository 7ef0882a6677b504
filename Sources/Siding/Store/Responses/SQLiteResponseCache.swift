public import SidingChain
internal import SidingSQLite

/// An HTTP response cache in the store's file: it survives the process, and all processes that open the file share it.
///
/// ```swift
/// let cache = SQLiteResponseCache(store)
/// let sender = ETagNode(RequestSenderNode(transport), cache: cache, keying: CacheKeying(account: "me"))
/// ```
/// Reads write nothing except a timestamp once an hour, which decides the order of eviction. Calls throw
/// `Failure.Reason.notCached` with the underlying ``StoreError``.
public struct SQLiteResponseCache: ResponseCache {
    /// A read updates a row's timestamp if it is older than this.
    static let touchInterval = Duration.seconds(3600)

    private let store: Store
    /// The maximum total size in bytes, by `CachedResponse.byteCount`.
    public let byteLimit: Int

    /// - Parameters:
    ///   - store: where the rows are stored; its clock provides their timestamps.
    ///   - byteLimit: the maximum total size in bytes; 64 MiB by default.
    public init(_ store: Store, byteLimit: Int = 64 << 20) {
        self.store = store
        self.byteLimit = byteLimit
    }

    /// The stored response for a request, without its body; nil if there is none. Reads only: it does not count as a use.
    public func head(for request: CacheRequest) async throws(Failure) -> CachedHead? {
        try await failing { try await store.read { try ResponsesTable.find(request, $0)?.head } }
    }

    /// The stored response for a request; nil if there is none. Counts as a use, noted at most once an hour.
    public func response(for request: CacheRequest) async throws(Failure) -> CachedResponse? {
        let found = try await failing {
            try await store.read { snapshot -> (row: ResponsesTable.FoundResponse, body: [UInt8])? in
                guard let row = try ResponsesTable.find(request, snapshot) else { return nil }
                return (row, try ResponsesTable.body(row.id, snapshot))
            }
        }
        guard let found else { return nil }
        await markUsed(found.row)
        return CachedResponse(head: found.row.head, body: found.body)
    }

    /// Stores a response in one transaction, in place of the one with the same key and variant, and of those that vary on other
    /// header fields. The least recently used are removed to make room.
    ///
    /// - Returns: false if the response alone is larger than ``byteLimit``; nothing is changed then.
    @discardableResult
    public func store(_ response: CachedResponse) async throws(Failure) -> Bool {
        guard response.byteCount <= byteLimit else { return false }
        let (now, limit) = (store.clock.now, byteLimit)
        try await failing {
            try await store.write { transaction in
                try ResponsesTable.removeOtherVariants(of: response.head, transaction)
                let id = try ResponsesTable.insert(response, usedAt: now, transaction)
                try ResponsesTable.shrink(to: limit, sparing: id, transaction)
            }
        }
        return true
    }

    /// Updates header fields and times of a stored response after a 304; its body stays (RFC 9111 §4.3.4).
    ///
    /// - Returns: false if there is no such row, or its validators differ from those of `validated`; nothing is changed then.
    public func refresh(_ head: CachedHead, validated: CachedHead) async throws(Failure) -> Bool {
        try await failing { try await store.write { try ResponsesTable.refresh(head, validated: validated, $0) } }
    }

    /// Removes every response with this key, whatever the variant. Writes nothing if there is none.
    public func remove(_ key: CacheKey) async throws(Failure) {
        try await failing {
            // Read first: most calls have nothing to remove, and a write would wait for the writer.
            guard try await store.read({ try ResponsesTable.exists(key, $0) }) else { return }
            try await store.write { try ResponsesTable.remove(key, $0) }
        }
    }

    /// Removes every response of an account; for signing out.
    public func removeAll(ofAccount account: String) async throws(Failure) {
        try await failing { try await store.write { try ResponsesTable.removeAll(ofAccount: account, $0) } }
    }

    /// Removes the least recently used responses until their total size is at most this number of bytes; 0 removes all.
    public func evict(to bytes: Int) async throws(Failure) {
        try await failing { try await store.write { try ResponsesTable.shrink(to: bytes, sparing: nil, $0) } }
    }

    /// Updates the timestamp, at most once an hour. A failure is ignored: the disk may be full, or the file read-only.
    private func markUsed(_ row: ResponsesTable.FoundResponse) async {
        let now = store.clock.now
        let idle = now - row.usedAt
        // A timestamp in the future comes from a clock that was set back, and would keep the row for ever.
        guard store.writer != nil, idle >= Self.touchInterval || idle < .zero else { return }
        _ = try? await store.write { try ResponsesTable.setUsed(row.id, at: now, $0) }
    }

    @discardableResult
    private func failing<Value>(_ body: () async throws -> Value) async throws(Failure) -> Value {
        do { return try await body() } catch {
            let error = StoreError(mapping: error)
            guard error.kind != .cancelled else { throw Failure(.cancelled, phase: .notSent) }
            throw Failure(.notCached, phase: .notSent, detail: error.message, underlying: error)
        }
    }
}
