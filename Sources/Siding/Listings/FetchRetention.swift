internal import SidingChain
internal import SidingSQLite

/// A fetch that is to be retained: which page, why, and when to ask again.
public struct FetchRetention: Sendable {
    public var resource: String
    public var source: String
    public var lease: Lease
    public var run: RunID
    public var method: String
    public var page: PageRequest
    public var error: RecordedError
    /// Whether the failed try counts.
    public var isCounted: Bool
    /// Where set, the entry waits for a person rather than for its time.
    public var parks: ParkReason?
    /// The wait after so many counted tries.
    public var wait: @Sendable (_ attempts: Int) -> Duration
    /// When the entry is parked as expired.
    public var expiry: Duration?
    /// Whether it waits for the network: then it is due as soon as that returns.
    public var waitsForLine = false
    /// Whether the page was tried, or put off unasked.
    public var isTry = true

    public init(
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
    public func retain(_ fetch: FetchRetention) async throws(StoreError) -> QueueEntry {
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

    private var transitions: QueueTransitions { QueueTransitions(owner: owner, now: now) }

    func retain(_ transaction: borrowing Transaction) throws -> QueueEntry {
        let existing = try unsettled(transaction)
        let isSamePage = try existing.map { try asks($0, transaction) } ?? false
        let attempts = (isSamePage ? existing?.attempts ?? 0 : 0) + (fetch.isCounted ? 1 : 0)
        let tries = (isSamePage ? existing?.tries ?? 0 : 0) + (fetch.isTry ? 1 : 0)
        let entry = try existing ?? insert(transaction)
        let due = now + min(fetch.wait(attempts), RetryAfter.longest)
        try transaction.execute(
            """
            UPDATE siding_outbox SET state = ?2, reason = ?3, owner = NULL, method = ?4, url = ?5, page_number = ?6,
                page_offset = ?7, attempts = ?8, crashes = 0, not_before = ?9, error = ?10, status = ?11, body = ?12,
                waits_for = ?13, tries = ?14
            WHERE id = ?1
            """,
            entry.id, fetch.parks == nil ? "queued" : "parked", fetch.parks?.rawValue, fetch.method,
            fetch.page.url.description, fetch.page.number, fetch.page.offset, attempts, due.microseconds,
            try Store.json(fetch.error), fetch.error.status, fetch.page.body.map { Array($0.utf8) },
            fetch.waitsForLine ? "line" : nil, tries)
        try transitions.note(entry.id, existing == nil ? "retained" : "failed", fetch.error.message, transaction)
        guard let retained = try unsettled(transaction) else {
            throw StoreError(.inputOutput, "the entry \(entry.id) vanished while it was retained")
        }
        return retained
    }

    private func unsettled(_ transaction: borrowing Transaction) throws -> QueueEntry? {
        try transitions.unsettledFetch(of: fetch.resource, scope: fetch.page.scope, transaction)
    }

    /// Whether the entry requests the same page.
    private func asks(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        guard entry.url == fetch.page.url.description else { return false }
        return try transaction.first(
            "SELECT body IS ?2 FROM siding_outbox WHERE id = ?1", entry.id, fetch.page.body.map { Array($0.utf8) }
        ) { $0.int(0) == 1 } ?? false
    }

    private func insert(_ transaction: borrowing Transaction) throws -> QueueEntry {
        let id = EntryID.random()
        let expiry = fetch.expiry.map { now + $0 }
        try transaction.execute(
            """
            INSERT INTO siding_outbox (id, kind, state, source, resource, lane, position, head, method, url, key,
                keyed, created_at, not_before, expires_at, scope)
            VALUES (?1, 'fetch', 'queued', ?2, ?3, ?8,
                (SELECT COALESCE(MAX(position), 0) + 1 FROM siding_outbox WHERE lane = ?8 AND settled_at IS NULL), 1, ?4, ?5, ?1, 0, ?6,
                ?6, ?7, ?9)
            """, id, fetch.source, fetch.resource, fetch.method, fetch.page.url.description, now.microseconds,
            expiry?.microseconds, fetch.lane, fetch.page.scope)
        return QueueEntry(
            id: id, kind: .fetch, state: .queued, source: fetch.source, resource: fetch.resource,
            lane: fetch.lane, method: fetch.method, url: fetch.page.url.description, createdAt: now,
            nextAttemptAt: now)
    }
}
