// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSQLite

/// The number of a run, small enough for users to type.
public typealias RunID = Int64

/// The result of a run, or of one resource in it.
public enum RunOutcome: String, Sendable, Codable, CaseIterable {
    /// Everything was fetched and stored.
    case saved
    /// Every page was answered with 304: nothing was written.
    case notModified = "not_modified"
    /// A page is kept in the queue; the next run continues there.
    case queued
    /// Some resources were saved and some failed.
    case partial
    /// No request was made: the resource is fresh enough, another run holds it, or another shard fetches it.
    case skipped
    /// An error ended it, and nothing in the queue continues it; pages saved before stay.
    case failed
    /// The process ended before the run did.
    case interrupted

    /// Whether everything was fetched, or is unchanged.
    package var isSuccess: Bool { self == .saved || self == .notModified }
}

/// Counters of a resource in a run; each begins with 0.
public struct RunCounters: Sendable, Hashable, Codable {
    /// Pages that were saved, those of a 304 among them.
    public var pages = 0
    /// Requests that were sent, retries among them.
    public var requests = 0
    /// Pages that the origin answered with 304.
    public var notModified = 0
    /// New records.
    public var inserted = 0
    /// Records with another body than before, and deleted ones that are back.
    public var updated = 0
    /// Records with the same body as before.
    public var unchanged = 0
    /// Records that were not saved because the stored body is newer.
    public var stale = 0
    /// Records that became tombstones.
    public var deleted = 0
    /// How many of `deleted` were removed because `where` is NULL for them.
    public var nullFiltered = 0
    /// Blocked deletions: records missing at the origin that were kept, because there are more than the mass-deletion guard
    /// allows.
    public var deletionsBlocked = 0
    /// Records that broke their contract, or lack their key.
    public var quarantined = 0
    /// How many of `quarantined` are whole answers that a failure rule quarantined.
    public var answersQuarantined = 0
    /// Records replaced by a later one with the same key on the same page.
    public var duplicates = 0
    /// Bytes that the network carried, as they were sent: compressed, in both directions.
    public var bytes = 0

    /// All 0.
    public init() {}

    /// The list of all counters: calls `body` with each and its column in `siding_run_resources`, and returns the results.
    @discardableResult
    mutating func map<Value>(
        _ body: (_ column: StaticString, _ counter: inout Int) throws -> Value
    ) rethrows -> [Value] {
        try [
            body("pages", &pages), body("requests", &requests), body("not_modified", &notModified),
            body("inserted", &inserted), body("updated", &updated), body("unchanged", &unchanged),
            body("stale", &stale), body("deleted", &deleted), body("null_filtered", &nullFiltered),
            body("deletions_blocked", &deletionsBlocked),
            body("quarantined", &quarantined), body("answers_quarantined", &answersQuarantined),
            body("duplicates", &duplicates), body("bytes", &bytes),
        ]
    }

    package static func += (sum: inout RunCounters, part: RunCounters) {
        var part = part
        var values = part.map { $1 }[...]
        sum.map { $1 += values.removeFirst() }
    }

    /// The number of records written.
    package var changed: Int { inserted + updated + deleted }
    /// The number of records read.
    var saved: Int { inserted + updated + unchanged + stale + quarantined + duplicates }
}

extension RunCounters: CustomStringConvertible {
    /// The counters that are not 0: `pages 3, requests 3, inserted 5`; `nothing` if all are.
    public var description: String {
        var counters = self
        let counts = counters.map { column, count in
            count == 0 ? nil : "\("\(column)".replacing("_", with: " ")) \(count)"
        }
        return counts.compactMap(\.self).joined(separator: ", ").nonEmpty ?? "nothing"
    }
}

/// The part of a run that concerns one resource.
package struct RunResource: Sendable, Hashable {
    package var resource: String
    /// Nil while the resource is being synced.
    package var outcome: RunOutcome?
    package var counters = RunCounters()
    package var duration = Duration.zero
    /// The entry that is kept in the queue.
    package var entry: String?
    package var error: RecordedError?
    /// Notes for users: the chosen pagination, a changed definition, a restarted listing.
    package var notes: [String] = []
}

/// One sync of a resource in the history.
package struct PastSync: Sendable, Hashable {
    package var run: RunID
    /// When its run began.
    package var startedAt: Timestamp
    /// Whether its run has ended.
    package var hasEnded: Bool
    package var result: RunResource
}

/// One run in the history.
package struct Run: Sendable, Hashable {
    package var id: RunID
    /// The command that started it, such as `sync posts`.
    package var command: String
    package var startedAt: Timestamp
    package var endedAt: Timestamp?
    /// Nil while it runs; ``RunOutcome/interrupted`` as soon as its process died.
    package var outcome: RunOutcome?
    package var resources: [RunResource]
    /// The process that does it, by its ``OwnerLock``; nil once its end is stored.
    var owner: String?
    /// Those of all its resources together.
    package var counters: RunCounters { resources.reduce(into: RunCounters()) { $0 += $1.counters } }

    /// The command of runs that retry quarantined records.
    static let retryOfQuarantine = "quarantine retry"

    /// The run number of what no run wrote, such as records that a program saved.
    static let none: RunID = 0
}

extension Store {
    /// Stores what a run did to a resource.
    package func endResource(_ result: RunResource, in run: RunID) async throws(StoreError) {
        try await write { transaction in try RunResourcesTable.save(result, in: run, transaction) }
    }

    /// Stores that the sync of a resource failed because the store did, beside what it counted before.
    ///
    /// On a full disk it takes the space that the run had reserved.
    package func endResource(_ resource: String, after failure: StoreError, in run: RunID) async throws(StoreError) {
        let save: @Sendable (borrowing Transaction) throws -> Void = { transaction in
            var result =
                try RunResourcesTable.load(run, transaction).first { $0.resource == resource }
                ?? RunResource(resource: resource)
            (result.outcome, result.error) = (.failed, RecordedError(failure))
            try RunResourcesTable.save(result, in: run, transaction)
        }
        do { try await write(save) } catch {
            guard error.kind == .full,
                owner.freeSpace(upTo: OwnerLock.reservedForRun, hasWrites: { claimedWork.hasWrites })
            else { throw error }
            try await write(save)
        }
    }

    /// The runs, newest first, at most `limit`.
    ///
    /// - Parameters:
    ///   - run: only those before this one.
    ///   - resource: only those of this resource; nil for all.
    package func runs(
        limit: Int, before run: RunID = .max, of resource: String? = nil
    ) async throws(StoreError) -> [Run] {
        try await runs { try RunsTable.newest(limit: limit, before: run, of: resource, $0) }
    }

    /// The newest syncs of each resource that were not skipped, newest first, at most `limit` of each.
    package func pastSyncs(of resources: [String], limit: Int) async throws(StoreError) -> [String: [PastSync]] {
        try await read { snapshot in
            var syncs: [String: [PastSync]] = [:]
            for resource in resources {
                syncs[resource] = try RunResourcesTable.pastSyncs(of: resource, limit: limit, snapshot)
            }
            return syncs
        }
    }

    package func run(_ id: RunID) async throws(StoreError) -> Run? {
        try await runs { try RunsTable.load(id, $0).map { [$0] } ?? [] }.first
    }

    /// A run whose process died counts as interrupted, although only the next run stores that.
    private func runs(_ load: @Sendable (borrowing Snapshot) throws -> [Run]) async throws(StoreError) -> [Run] {
        let (runs, dead) = try await read(load, owners: { $0.compactMap(\.owner) })
        return runs.map { run in
            var run = run
            if run.owner.map(dead.contains) == true { run.outcome = .interrupted }
            return run
        }
    }

    /// The bytes that the network carried for the runs that began at `moment` or later.
    package func bytes(since moment: Timestamp) async throws(StoreError) -> Int {
        try await read { try RunResourcesTable.bytes(since: moment, $0) }
    }

    /// Whether a run of this number existed and was pruned.
    package func isForgotten(_ run: RunID) async throws(StoreError) -> Bool {
        try await read { try RunsTable.isForgotten(run, $0) }
    }
}
