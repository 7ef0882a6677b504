// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Stores responses in memory, up to a number of bytes; they are gone when the process ends.
public final class InMemoryResponseCache: ResponseCache {
    private struct Row {
        var response: CachedResponse
        /// Increases with each use.
        var use: Int
    }

    private struct Table {
        /// The rows of each key, one per variant.
        var rows: [CacheKey: [Row]] = [:]
        var bytes = 0
        var uses = 0

        func index(for request: CacheRequest) -> Int? {
            rows[request.key]?.firstIndex { $0.response.head.variant.matches(request) }
        }

        mutating func use(_ index: Int, of key: CacheKey) -> CachedResponse? {
            uses += 1
            rows[key]?[index].use = uses
            return rows[key]?[index].response
        }

        mutating func insert(_ response: CachedResponse) {
            uses += 1
            rows[response.head.key, default: []].append(Row(response: response, use: uses))
            bytes += response.byteCount
        }

        mutating func remove(from key: CacheKey, where condition: (Row) -> Bool) {
            let kept = rows[key, default: []].filter { !condition($0) }
            bytes -= rows[key, default: []].reduce(0) { $0 + (condition($1) ? $1.response.byteCount : 0) }
            rows[key] = kept.isEmpty ? nil : kept
        }

        /// Removes the least recently used rows until at most `limit` bytes are left.
        mutating func shrink(to limit: Int) {
            guard bytes > limit else { return }
            for row in rows.values.joined().sorted(by: { $0.use < $1.use }) where bytes > limit {
                remove(from: row.response.head.key) { $0.use == row.use }
            }
        }
    }

    private let table = Mutex(Table())
    private let byteLimit: Int

    /// - Parameter byteLimit: the maximum number of bytes; 16 MiB by default.
    public init(byteLimit: Int = 16 << 20) {
        self.byteLimit = byteLimit
    }

    public func head(for request: CacheRequest) -> CachedHead? {
        table.withLock { table in
            table.index(for: request).flatMap { table.rows[request.key]?[$0].response.head }
        }
    }

    public func response(for request: CacheRequest) -> CachedResponse? {
        table.withLock { table in
            table.index(for: request).flatMap { table.use($0, of: request.key) }
        }
    }

    @discardableResult
    public func store(_ response: CachedResponse) -> Bool {
        guard response.byteCount <= byteLimit else { return false }
        let variant = response.head.variant
        table.withLock { table in
            table.remove(from: response.head.key) { row in
                let other = row.response.head.variant
                return other == variant || !other.hasNames(of: variant)
            }
            table.insert(response)
            table.shrink(to: byteLimit)
        }
        return true
    }

    public func refresh(_ head: CachedHead, validated: CachedHead) -> Bool {
        table.withLock { table in
            let rows = table.rows[head.key, default: []]
            guard let index = rows.firstIndex(where: { $0.response.head.variant == head.variant }),
                rows[index].response.head.hasValidators(of: validated)
            else { return false }
            table.bytes += head.byteCount - rows[index].response.head.byteCount
            table.rows[head.key]?[index].response.head = head
            return true
        }
    }

    public func remove(_ key: CacheKey) {
        table.withLock { $0.remove(from: key) { _ in true } }
    }

    public func removeAll(ofAccount account: String) {
        table.withLock { table in
            for key in table.rows.keys where key.account == account { table.remove(from: key) { _ in true } }
        }
    }

    public func evict(to bytes: Int) {
        table.withLock { $0.shrink(to: bytes) }
    }
}
