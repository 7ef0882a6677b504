import CSQLite

/// Compiled statements at rest, by their text: compiling costs more than most statements take to run.
///
/// It holds pointers, since a noncopyable ``Statement`` cannot be a dictionary's value; a borrowed one is not in here.
struct StatementCache {
    private struct Entry {
        let handle: OpaquePointer
        let lastUse: Int
    }

    static let capacity = 128
    private var entries: [String: Entry] = [:]
    private var uses = 0

    mutating func take(_ sql: String) -> OpaquePointer? {
        entries.removeValue(forKey: sql)?.handle
    }

    /// Takes back a statement that was reset and cleared.
    mutating func giveBack(_ handle: OpaquePointer, for sql: String) {
        uses += 1
        if let twin = entries.updateValue(Entry(handle: handle, lastUse: uses), forKey: sql) {
            sqlite3_finalize(twin.handle)
        }
        guard entries.count > Self.capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        else {
            return
        }
        entries.removeValue(forKey: oldest.key)
        sqlite3_finalize(oldest.value.handle)
    }

    mutating func removeAll() {
        for entry in entries.values { sqlite3_finalize(entry.handle) }
        entries = [:]
    }
}
