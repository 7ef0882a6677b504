package import SidingChain
internal import SidingSQLite

extension Store {
    /// The selected entries, oldest first.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if an id matches no entry, ``StoreError/Kind/ambiguous`` if a prefix matches
    ///   several.
    package func entries(_ selection: QueueSelection) async throws(StoreError) -> [QueueEntry] {
        try await entries(selection, limit: nil)
    }

    /// The oldest selected entries, at most `limit`; nil for all.
    package func entries(_ selection: QueueSelection, limit: Int?) async throws(StoreError) -> [QueueEntry] {
        try await read { try OutboxTable.entries(selection, limit: limit, $0) }
    }

    /// The number of selected entries, without reading them.
    package func count(_ selection: QueueSelection) async throws(StoreError) -> Int {
        try await read { try OutboxTable.count(selection, $0) }
    }

    /// The number of open entries per state and reason.
    package func queueCounts() async throws(StoreError) -> [QueueCount] {
        try await read { try OutboxTable.counts($0) }
    }

    /// The sources of the open writes, by name.
    package func sourcesOfWrites() async throws(StoreError) -> [String] {
        try await read { try OutboxTable.sourcesOfWrites($0) }
    }

    /// The request body of a queued page; nil if it has none.
    package func bodyOfFetch(_ entry: String) async throws(StoreError) -> [UInt8]? {
        try await read { snapshot in
            guard try OutboxTable.entry(entry, snapshot)?.kind == .fetch else { return nil }
            return try OutboxRequestsTable.load(entry, snapshot)?.body
        }
    }

    /// The stored content of a write; nil if `entry`, a full id, is not one.
    package func content(of entry: String) async throws(StoreError) -> WriteContent? {
        try await read { try WriteContent.load(entry, $0) }
    }

    /// The history of an entry, oldest event first.
    package func history(of entry: String) async throws(StoreError) -> [QueueEvent] {
        try await read { try OutboxEventsTable.events(of: entry, $0) }
    }

    /// The writes that this process has parked since `moment`, for any reason except a hold, and that are still parked, oldest
    /// first.
    package func writesParked(since moment: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let me = try ownerID()
        return try await read { try OutboxTable.writesParked(by: me, since: moment, $0) }
    }

    func transitions() throws(StoreError) -> QueueTransitions {
        QueueTransitions(owner: try ownerID(), now: clock.now)
    }
}
