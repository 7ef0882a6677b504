// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// A fetch that is to be retained: which page, why, and when to ask again.
struct FetchRetention: Sendable {
    var resource: String
    var source: String
    var lease: Lease
    var method: String
    var page: PageRequest
    var error: RecordedError
    /// What arrived of the answer; nil if it cannot be resumed.
    var partial: PartialAnswer?
    /// Whether the failed try counts.
    var isCounted: Bool
    /// If set, the entry is parked for an operator instead of waiting for its time.
    var parks: ParkReason?
    /// How long after its last try the entry is parked as expired; nil for never.
    var expiry: Duration?
    /// Whether it waits for the network: then it is due as soon as that returns.
    var waitsForNetwork = false
    /// The least wait, while failures keep the gate of the source closed. Where it is longer than ``wait``, an answer to another
    /// request ends it, as the return of the network does.
    var gateWait = Duration.zero
    /// Whether the page was tried, or put off unasked.
    var isTry = true
    /// The wait after a number of counted tries.
    var wait: @Sendable (_ attempts: Int) -> Duration

    /// The lane of each listing's fetch.
    ///
    /// - Parameter scope: the key of the record that the listing is about; empty where the resource has one listing only.
    static func lane(of resource: String, scope: String) -> String {
        "fetch:\(resource)" + (scope.isEmpty ? "" : "/\(scope)")
    }
}

extension Store {
    /// Retains a fetch, unique per listing: a newer one takes the place of the older.
    func retain(_ fetch: FetchRetention) async throws(StoreError) -> QueueEntry {
        try await write(under: fetch.lease) { try FetchRetainer(fetch: fetch, queue: $0).retain($1) }
    }
}

/// Retains a fetch in the queue, inside a transaction: inserts an entry, or updates the one of the same listing.
struct FetchRetainer {
    let fetch: FetchRetention
    let queue: QueueTransitions

    private var body: [UInt8]? { fetch.page.body.map { Array($0.utf8) } }

    func retain(_ transaction: borrowing Transaction) throws -> QueueEntry {
        let existing = try retained(transaction)
        let isSamePage = try existing.map { try asks($0, transaction) } ?? false
        var entry = try existing ?? insert(transaction)
        entry.attempts = (isSamePage ? entry.attempts : 0) + (fetch.isCounted ? 1 : 0)
        entry.tries = (isSamePage ? entry.tries : 0) + (fetch.isTry ? 1 : 0)
        let wait = fetch.wait(entry.attempts)
        entry.nextAttemptAt = queue.now + min(max(wait, fetch.gateWait), RetryAfter.longest)
        try OutboxTable.retain(
            entry, parkedFor: fetch.parks, waitsForNetwork: fetch.waitsForNetwork || fetch.gateWait > wait,
            expiresAt: fetch.isTry ? fetch.expiry.map { queue.now + $0 } : nil, transaction)
        try OutboxRequestsTable.save(
            (fetch.method, fetch.page.url.description, body, fetch.page.number), fetch.error, fetch.partial,
            of: entry.id, transaction)
        try queue.addEvent(entry.id, existing == nil ? .retained : .failed, fetch.error.message, transaction)
        guard let retained = try retained(transaction) else {
            throw StoreError(.inputOutput, "the entry vanished while it was retained")
        }
        return retained
    }

    private func retained(_ transaction: borrowing Transaction) throws -> QueueEntry? {
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
            lane: FetchRetention.lane(of: fetch.resource, scope: fetch.page.scope), method: fetch.method,
            url: fetch.page.url.description, createdAt: queue.now, nextAttemptAt: queue.now)
        try OutboxTable.insert(
            entry, scope: fetch.page.scope, expiresAt: fetch.expiry.map { queue.now + $0 }, transaction)
        return entry
    }
}
