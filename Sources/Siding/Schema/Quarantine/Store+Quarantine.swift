internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// One with its bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where there is none.
    public func quarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord] {
        try await read { try QuarantineRows.find(selection, $0) }
    }

    /// One with its bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where there is none.
    public func quarantined(_ id: Int64) async throws(StoreError) -> QuarantinedRecord? {
        try await read { try QuarantineRows.find(QuarantineSelection(ids: [id]), withBodies: true, $0).first }
    }

    /// Reads quarantined records again as `resources` are declared now, and saves what is good, all in one transaction and
    /// a run of its own.
    ///
    /// What is saved leaves the quarantine. A record of which the origin, or the program, said something since it was last seen
    /// is left: the newer one stays. So are those of a resource whose lease another run holds.
    public func retryQuarantined(
        _ selection: QuarantineSelection, as resources: [AnyResource]
    ) async throws(StoreError) -> [QuarantineChange] {
        // A selection that means nothing is no run.
        let meant = Set(try await quarantined(selection).map(\.resource))
        guard !meant.isEmpty else { return [] }
        var selection = selection
        // What is set aside meanwhile is of resources that may be another run's.
        if selection.ids.isEmpty { selection.resources = meant.sorted() }
        let held = try await Self.hold(meant.intersection(resources.map(\.name)).sorted(), in: self)
        let result: Result<[QuarantineChange], StoreError>
        do throws(StoreError) {
            result = .success(try await retry(selection, as: resources, held))
        } catch { result = .failure(error) }
        let leases = held.leases
        try await uncancelled { () throws(StoreError) in for lease in leases { try await self.releaseLease(lease) } }
        return try result.get()
    }

    /// The leases of resources that are held here, and who holds the others.
    private struct HeldLeases: Sendable {
        var leases: [Lease] = []
        var holders: [String: LeaseHolder] = [:]
    }

    /// A retry makes a resource what the config has it be, under which no other run may be saving pages of it.
    private static func hold(_ resources: [String], in store: Store) async throws(StoreError) -> HeldLeases {
        var held = HeldLeases()
        do throws(StoreError) {
            for resource in resources {
                let name = Lease.name(ofResource: resource)
                switch try await store.acquireLease(name, command: "quarantine retry") {
                case .acquired(let lease): held.leases.append(lease)
                case .held(let holder): held.holders[resource] = holder
                }
            }
        } catch {
            for lease in held.leases { try? await store.releaseLease(lease) }
            throw error
        }
        return held
    }

    private func retry(
        _ selection: QuarantineSelection, as resources: [AnyResource], _ held: HeldLeases
    ) async throws(StoreError) -> [QuarantineChange] {
        let run = try await beginRun(command: "quarantine retry")
        let now = clock.now
        let me = try ownerID()
        do throws(StoreError) {
            let result = try await write { transaction in
                for lease in held.leases { try Self.check(lease, owner: me, transaction) }
                return try QuarantineRetry(resources: resources, run: run, now: now, holders: held.holders)
                    .retry(selection, transaction)
            }
            for (resource, counters) in result.counters.sorted(by: { $0.key < $1.key }) {
                let changes = result.changes.filter { $0.record.resource == resource }
                let line = RunResource(
                    resource: resource, outcome: RunOutcome(ofRetry: changes), counters: counters)
                try await endResource(line, in: run, extra: RunCounters())
            }
            try await endRun(run, outcome: RunOutcome(ofRetry: result.changes))
            if result.counters.values.contains(where: { $0.inserted + $0.updated + $0.deleted > 0 }) {
                changeSignal.fire()
            }
            return result.changes
        } catch {
            try? await endRun(run, outcome: .failed)
            throw error
        }
    }

    /// Forgets quarantined records, with their bytes; they come back if the origin sends them again as they were.
    public func dropQuarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord] {
        try await write { transaction in
            let meant = try QuarantineRows.find(selection, transaction)
            for record in meant { try QuarantineRows.remove(record.id, transaction) }
            return meant
        }
    }
}

extension RunOutcome {
    /// What trying again came to: what stays in quarantine was not saved.
    fileprivate init(ofRetry changes: [QuarantineChange]) {
        let refused = changes.count { $0.refusal != nil }
        if changes.allSatisfy({ $0.heldBy != nil }) {
            self = .skipped
            return
        }
        self = refused == 0 ? .saved : refused == changes.count ? .failed : .partial
    }
}

/// Rows of `siding_quarantine`.
enum QuarantineRows {
    static func find(
        _ selection: QuarantineSelection, withBodies: Bool = false, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [QuarantinedRecord] {
        let body: SQL = withBodies ? "q.body" : "NULL"
        let found = try database.query(
            """
            SELECT q.id, r.name, q.key, q.reason, q.code, q.run, q.url, q.position, q.created_at, q.seen_at,
                length(q.body), \(body)
            FROM siding_quarantine q JOIN siding_resources r ON r.id = q.resource
            WHERE (?1 IS NULL OR q.id IN (SELECT value FROM json_each(?1)))
                AND (?2 IS NULL OR r.name IN (SELECT value FROM json_each(?2)))
            ORDER BY q.created_at, q.id LIMIT ?3
            """, selection.ids.isEmpty ? nil : try Store.json(selection.ids),
            selection.resources.isEmpty ? nil : try Store.json(selection.resources), selection.limit ?? -1
        ) { row in
            QuarantinedRecord(
                id: row.int(0), resource: row.text(1), key: row.optionalText(2), reason: row.text(3),
                code: row.text(4), run: row.int(5), url: row.text(6), position: Int(row.int(7)),
                createdAt: Timestamp(microseconds: row.int(8)), seenAt: Timestamp(microseconds: row.int(9)),
                size: Int(row.int(10)), body: row.blob(11))
        }
        let missing = selection.ids.first { id in !found.contains { $0.id == id } }
        if let missing, selection.limit == nil {
            throw StoreError(
                .notFound, "nothing with the number \(missing) is in quarantine",
                hint: "'siding quarantine list' shows what is; what the origin has mended is there no more")
        }
        return found
    }

    static func remove(_ id: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_quarantine WHERE id = ?1", id)
    }
}
