// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// The position in a resource's changes at the end of a run, from which later changes are read.
///
/// It compares revisions, not runs or times: they grow with every commit that writes records of the resource, so edits and saves
/// between two runs are included.
struct ChangeFeed {
    /// The resource's revision at that time.
    let since: Int64

    /// Before the first record.
    static let beginning: Int64 = -1

    /// Matches the rows written since then, with ``since`` as `?1`. Tombstones are reported from the beginning on, too: a reader
    /// that read before any run had ended has no later run to name.
    static let condition: SQL = "revision > ?1"

    /// The kind of change, as in ``ChangedRecord/Kind``.
    static let kind: SQL = """
        CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN lives_since > ?1 THEN 'inserted' ELSE 'updated' END
        """

    /// - Parameter resource: nil for one that was never stored, which has no revision in any run.
    /// - Throws: ``StoreError/Kind/notFound`` if the changes since then are no longer complete,
    ///   ``StoreError/Kind/invalidQuery`` for a run that has not ended.
    static func load(
        of resource: ResourceRow?, named name: String, since run: RunID, _ snapshot: borrowing Snapshot
    ) throws -> ChangeFeed {
        guard run != 0 else { return ChangeFeed(since: beginning) }
        let newest = try newestRun(for: resource, snapshot)
        let found = try snapshot.first(
            """
            SELECT ended_at, json_extract(revisions, ?2) AS revision,
                EXISTS (SELECT 1 FROM json_each(revisions) WHERE key = '=' || ?3) AS is_forgotten
            FROM siding_runs WHERE id = ?1
            """, run, path(of: resource), name
        ) { row in
            (
                hasEnded: try row.optionalInt("ended_at") != nil,
                revision: try row.optionalInt("revision") ?? beginning, isForgotten: try row.isTrue("is_forgotten")
            )
        }
        guard let found else {
            let isPruned = try RunsTable.isForgotten(run, snapshot)
            throw isPruned
                ? StoreError(
                    .notFound, "run \(run) is no longer stored, so the changes since then are unknown",
                    hint: again(newest))
                : StoreError(.notFound, "there is no run \(run)", hint: "'siding runs list' shows them")
        }
        guard found.hasEnded else {
            throw StoreError(
                .invalidQuery, "run \(run) has not ended, so the changes since then are not known yet",
                hint: (newest > 0 ? "the newest run that has ended is \(newest)" : "wait for its end")
                    + "; if its process is dead, the next sync ends it")
        }
        // A run from before the resource has no revision, but an export after it may have read records that were removed since.
        guard !found.isForgotten, max(found.revision, 0) >= resource?.forgotten ?? 0 else {
            throw StoreError(
                .notFound, "deletions from '\(name)' since run \(run) are no longer complete", hint: again(newest))
        }
        return ChangeFeed(since: found.revision)
    }

    /// Where `siding_runs.revisions` has the revision of a resource.
    private static func path(of resource: ResourceRow?) -> String { "$.\"\(resource?.id ?? 0)\"" }

    private static func again(_ newest: RunID) -> String {
        "export everything again" + (newest > 0 ? ", and continue from run \(newest)" : "")
    }

    /// The run from which later changes can be read: the newest one that has ended, 0 if there is none.
    ///
    /// Skips runs after which a tombstone was removed or the resource was forgotten, as changes since then are incomplete.
    static func newestRun(for resource: ResourceRow?, _ snapshot: borrowing Snapshot) throws -> RunID {
        let newest = try snapshot.first(
            """
            SELECT id FROM siding_runs WHERE ended_at IS NOT NULL
                AND COALESCE(json_extract(revisions, ?1), 0) NOT BETWEEN 0 AND ?2 - 1
                AND NOT EXISTS (SELECT 1 FROM json_each(revisions) WHERE key = '=' || ?3)
            ORDER BY id DESC LIMIT 1
            """, path(of: resource), resource?.forgotten ?? 0, resource?.name
        ) { $0.int(0) }
        return newest ?? 0
    }

    fileprivate func changes(in table: RecordsTable, _ snapshot: borrowing Snapshot) throws -> [ChangedRecord] {
        try snapshot.query(
            "SELECT key, \(Self.kind) AS kind FROM \(table.rowsByKey) WHERE \(Self.condition) ORDER BY key", since
        ) { row in
            ChangedRecord(
                key: try row.text("key"), kind: ChangedRecord.Kind(rawValue: try row.text("kind")) ?? .updated)
        }
    }
}

extension Store {
    /// The records of a resource written after the end of `run`, by any process; all records for run 0. The run need not have
    /// included the resource.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if there is no such run, or the changes since then are no longer complete;
    ///   ``StoreError/Kind/invalidQuery`` for a run that has not ended.
    package func changes(of resource: String, since run: RunID) async throws(StoreError) -> RecordsSince {
        try await read { snapshot in
            let table = try RecordsTable.load(named: resource, snapshot)
            let feed = try ChangeFeed.load(of: table?.row, named: resource, since: run, snapshot)
            let changes = try table.map { try feed.changes(in: $0, snapshot) } ?? []
            return RecordsSince(changes: changes, run: try ChangeFeed.newestRun(for: table?.row, snapshot))
        }
    }
}

/// The net change of a record since the end of a run.
package struct ChangedRecord: Sendable, Hashable {
    /// The kind of a net change.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The record is live, and was not during all of that time. A copy may still have it, if it was deleted and came back.
        case inserted
        /// The record is live and was during all of that time.
        case updated
        /// The record is deleted. A copy may never have had it, if it was created and deleted since.
        case deleted
    }

    package var key: String
    package var kind: Kind
}

/// The changes of a resource since the end of a run. To update a copy from that time, replace or add the inserted and updated
/// records by key and remove the deleted ones.
package struct RecordsSince: Sendable, Hashable {
    /// Sorted by key, each key once.
    package var changes: [ChangedRecord]
    /// The run to pass next time: the newest one that had ended. Changes after it may be reported again then. 0 if no run ever
    /// ended: the next call reports everything, including tombstones.
    package var run: RunID
}
