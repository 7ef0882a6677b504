internal import SidingChain

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
