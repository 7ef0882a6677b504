internal import SidingSQLite

/// Where a resource stood when a run ended: what was written to it since is told from there.
///
/// Revisions are compared, not runs or times: they grow with each commit that writes records of the resource, whoever makes
/// it, so a person's own edits and saves between two runs are told too.
struct ChangeFeed {
    /// The resource's revision then.
    let since: Int64

    /// Before there was anything of the resource. Records that are older than revisions have 0.
    static let beginning: Int64 = -1

    /// What was written since, as ``since`` as `?1` means it. Tombstones are told from the beginning on, too: who read before any
    /// run had ended has no later one to name.
    static let condition: SQL = "revision > ?1"

    /// What happened to such a record, as ``ChangedRecord/Kind`` names it.
    static let kind: SQL = """
        CASE WHEN deleted_at IS NOT NULL THEN 'deleted' WHEN lives_since > ?1 THEN 'inserted' ELSE 'updated' END
        """

    /// Where all resources stand now, as `siding_runs.revisions` keeps it.
    static let revisions: SQL = "(SELECT json_group_object(CAST(id AS TEXT), revision) FROM siding_resources)"

    /// - Throws: ``StoreError/Kind/notFound`` where nobody can tell any more, ``StoreError/Kind/invalidQuery`` for a run that
    ///   has not ended.
    static func load(
        of resource: Int64, named name: String, since run: RunID, _ snapshot: borrowing Snapshot
    ) throws -> ChangeFeed {
        guard run != 0 else { return ChangeFeed(since: beginning) }
        let newest = try newestRun(for: resource, snapshot)
        let found = try snapshot.first(
            "SELECT ended_at, revisions, json_extract(revisions, ?2) FROM siding_runs WHERE id = ?1", run,
            "$.\"\(resource)\""
        ) { row in (hasEnded: !row.isNull(0), isNoted: !row.isNull(1), revision: row.optionalInt(2) ?? beginning) }
        guard let found else {
            let isPruned = try RunPruning.isForgotten(run, snapshot)
            throw (isPruned ? Refusal.pruned(run) : .unknown(run)).error(name, newest)
        }
        guard found.hasEnded else { throw Refusal.unfinished(run).error(name, newest) }
        guard found.isNoted else { throw Refusal.old(run).error(name, newest) }
        let forgotten = try snapshot.first("SELECT forgotten FROM siding_resources WHERE id = ?1", resource) {
            $0.int(0)
        }
        guard found.revision == beginning || found.revision >= forgotten ?? 0 else {
            throw Refusal.forgotten(run).error(name, newest)
        }
        return ChangeFeed(since: found.revision)
    }

    /// From where on what changes after this moment can be told: the newest run that has ended, and 0 where none has.
    ///
    /// One after which a tombstone was removed is none of those: what went with it cannot be told. A later one notes that.
    static func newestRun(for resource: Int64, _ snapshot: borrowing Snapshot) throws -> RunID {
        let newest = try snapshot.first(
            """
            SELECT id FROM siding_runs WHERE ended_at IS NOT NULL AND revisions IS NOT NULL
                AND COALESCE(json_extract(revisions, ?2), \(integer: beginning)) NOT BETWEEN 0
                    AND COALESCE((SELECT forgotten FROM siding_resources WHERE id = ?1), 0) - 1
            ORDER BY id DESC LIMIT 1
            """, resource, "$.\"\(resource)\""
        ) { $0.int(0) }
        return newest ?? 0
    }

    /// Notes that a tombstone goes: who has not been told of it by now cannot be any more.
    static func forget(revision: Int64, of resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET forgotten = MAX(forgotten, ?2) WHERE id = ?1", resource, revision)
    }
}

extension ChangeFeed {
    /// Why what changed since a run cannot be told.
    private enum Refusal {
        case unknown(RunID)
        case pruned(RunID)
        case unfinished(RunID)
        case old(RunID)
        case forgotten(RunID)

        func error(_ resource: String, _ newest: RunID) -> StoreError {
            switch self {
            case .unknown(let run):
                StoreError(.notFound, "there is no run \(run)", hint: "'siding runs list' shows them")
            case .pruned(let run):
                StoreError(
                    .notFound, "run \(run) is forgotten, so what changed since cannot be told any more",
                    hint: Self.anew(newest))
            case .unfinished(let run):
                StoreError(
                    .invalidQuery, "run \(run) has not ended, so what changed since cannot be told yet",
                    hint: (newest > 0 ? "the newest run that has ended is \(newest)" : "wait for its end")
                        + "; where its process is dead, the next sync ends it")
            case .old(let run):
                StoreError(
                    .notFound, "where '\(resource)' stood when run \(run) ended was not noted: an older siding made it",
                    hint: Self.anew(newest))
            case .forgotten(let run):
                StoreError(
                    .notFound,
                    "deletions from '\(resource)' since run \(run) are no longer complete",
                    hint: Self.anew(newest))
            }
        }

        private static func anew(_ newest: RunID) -> String {
            "export everything again" + (newest > 0 ? ", and go on from run \(newest)" : "")
        }
    }
}

extension Store {
    /// What was written to a resource after the end of `run`, by whomever and by whichever process; after nothing at all for
    /// 0. A run that had nothing to do with the resource is as good as any.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where there is no such run, or nobody can tell any more what changed since;
    ///   ``StoreError/Kind/invalidQuery`` for a run that has not ended.
    public func changes(of resource: String, since run: RunID) async throws(StoreError) -> RecordsSince {
        try await read { snapshot in
            // A resource without a number has no revision noted in any run.
            let id = try Self.resourceRow(resource, snapshot)?.id ?? 0
            let feed = try ChangeFeed.load(of: id, named: resource, since: run, snapshot)
            let records = try RecordsTable.load(id, snapshot).rowsByKey
            let changes = try snapshot.query(
                "SELECT key, \(ChangeFeed.kind) FROM \(records) WHERE \(ChangeFeed.condition) ORDER BY key", feed.since
            ) { row in
                ChangedRecord(key: row.text(0), kind: ChangedRecord.Kind(rawValue: row.text(1)) ?? .updated)
            }
            return RecordsSince(changes: changes, run: try ChangeFeed.newestRun(for: id, snapshot))
        }
    }
}
