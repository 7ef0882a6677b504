internal import SidingChain
internal import SidingSQLite

/// A fetch that is to be retained: which page, why, and when to ask again.
package struct FetchRetention: Sendable {
    package var resource: String
    package var source: String
    package var lease: Lease
    package var run: RunID
    package var method: String
    package var page: PageRequest
    package var error: RecordedError
    /// Whether the failed try counts.
    package var isCounted: Bool
    /// Where set, the entry waits for a person rather than for its time.
    package var parks: ParkReason?
    /// The wait after so many counted tries.
    package var wait: @Sendable (_ attempts: Int) -> Duration
    /// When the entry is parked as expired.
    package var expiry: Duration?
    /// Whether it waits for the network: then it is due as soon as that returns.
    package var waitsForNetwork = false
    /// Whether the page was tried, or put off unasked.
    package var isTry = true

    package init(
        resource: String, source: String, lease: Lease, run: RunID, method: String, page: PageRequest,
        error: RecordedError, isCounted: Bool, parks: ParkReason? = nil, expiry: Duration? = nil,
        wait: @escaping @Sendable (_ attempts: Int) -> Duration
    ) {
        self.resource = resource
        self.source = source
        self.lease = lease
        self.run = run
        self.method = method
        self.page = page
        self.error = error
        self.isCounted = isCounted
        self.parks = parks
        self.wait = wait
        self.expiry = expiry
    }

    /// Each listing's fetch has a lane of its own.
    package var lane: String { Self.lane(of: resource, scope: page.scope) }

    /// - Parameter scope: the key of the record that the listing is about; empty where the resource has one listing only.
    static func lane(of resource: String, scope: String) -> String {
        "fetch:\(resource)" + (scope.isEmpty ? "" : "/\(scope)")
    }
}

extension Store {
    /// Retains a fetch, unique per resource: a newer one takes the place of the older.
    package func retain(_ fetch: FetchRetention) async throws(StoreError) -> QueueEntry {
        let me = try ownerID()
        let now = clock.now
        return try await write { transaction in
            try Self.check(fetch.lease, owner: me, transaction)
            return try FetchRetainer(fetch: fetch, owner: me, now: now).retain(transaction)
        }
    }
}

/// Retains a fetch in the queue, inside a transaction: inserts an entry, or updates the one of the same listing.
struct FetchRetainer {
    let fetch: FetchRetention
    let owner: String
    let now: Timestamp

    private var body: [UInt8]? { fetch.page.body.map { Array($0.utf8) } }

    func retain(_ transaction: borrowing Transaction) throws -> QueueEntry {
        let existing = try unsettled(transaction)
        let isSamePage = try existing.map { try asks($0, transaction) } ?? false
        var entry = try existing ?? insert(transaction)
        entry.attempts = (isSamePage ? entry.attempts : 0) + (fetch.isCounted ? 1 : 0)
        entry.tries = (isSamePage ? entry.tries : 0) + (fetch.isTry ? 1 : 0)
        entry.nextAttemptAt = now + min(fetch.wait(entry.attempts), RetryAfter.longest)
        try OutboxTable.retain(entry, parkedFor: fetch.parks, waitsForNetwork: fetch.waitsForNetwork, transaction)
        try OutboxRequestsTable.save(
            (fetch.method, fetch.page.url.description, body, fetch.page.number), fetch.error, of: entry.id, transaction)
        try QueueTransitions(owner: owner, now: now)
            .note(entry.id, existing == nil ? "retained" : "failed", fetch.error.message, transaction)
        guard let retained = try unsettled(transaction) else {
            throw StoreError(.inputOutput, "the entry \(entry.id) vanished while it was retained")
        }
        return retained
    }

    private func unsettled(_ transaction: borrowing Transaction) throws -> QueueEntry? {
        try OutboxTable.openFetch(of: fetch.resource, scope: fetch.page.scope, transaction)
    }

    /// Whether the entry requests the same page.
    private func asks(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        guard entry.url == fetch.page.url.description else { return false }
        return try OutboxRequestsTable.load(entry.id, transaction)?.body == body
    }

    private func insert(_ transaction: borrowing Transaction) throws -> QueueEntry {
        let entry = QueueEntry(
            id: EntryID.random(), kind: .fetch, state: .queued, source: fetch.source, resource: fetch.resource,
            lane: fetch.lane, method: fetch.method, url: fetch.page.url.description, createdAt: now, nextAttemptAt: now)
        try OutboxTable.insert(
            entry, scope: fetch.page.scope, expiresAt: fetch.expiry.map { now + $0 }, transaction)
        return entry
    }
}
