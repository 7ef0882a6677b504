internal import SidingChain
internal import SidingSQLite

extension SQLiteStore: WriteStore {
    public func enqueue(_ write: WriteRequest) async throws(StoreError) -> QueueEntry {
        do { try WriteSafety.check(write) } catch {
            throw StoreError(.invalidWrite, error.detail ?? error.description)
        }
        let transitions = try transitions()
        let entry = try await self.write { transaction in
            try WriteEnqueuer(write: write, transitions: transitions).enqueue(transaction)
        }
        if entry.recordKey != nil { changeSignal.fire() }
        return entry
    }

    public func claim(_ request: ClaimRequest) async throws(StoreError) -> ClaimedWrite? {
        let transitions = try transitions()
        return try await write { transaction in
            try WriteClaimer(request: request, transitions: transitions).claim(transaction)
        }
    }

    public func markSent(_ write: ClaimedWrite) async throws(StoreError) {
        let settler = WriteSettler(write: write, transitions: try transitions(), jitter: jitter)
        let isOurs = try await self.write { transaction in try settler.markSent(transaction) }
        guard isOurs else {
            throw StoreError(.leaseLost, "another process took over the entry \(write.entry.shortID)")
        }
    }

    public func settle(
        _ write: ClaimedWrite, _ settlement: WriteSettlement
    ) async throws(StoreError) -> QueueEntry? {
        let settler = WriteSettler(write: write, transitions: try transitions(), jitter: jitter)
        let entry = try await self.write { transaction in try settler.settle(settlement, transaction) }
        if entry?.recordKey != nil { changeSignal.fire() }
        return entry
    }

    public func reap() async throws(StoreError) -> [QueueEntry] {
        let owners = try await read { snapshot in
            try snapshot.query(
                "SELECT DISTINCT owner FROM siding_queue WHERE owner IS NOT NULL AND kind = 'write'"
            ) { $0.text(0) }
        }
        // Whether an owner lives is asked outside the transaction; once dead it stays so, as no name is used again.
        let dead = owners.filter { !owner.isAlive($0) }
        guard !dead.isEmpty else { return [] }
        let reaper = WriteReaper(transitions: try transitions())
        let taken = try await write { transaction in
            try dead.flatMap { owner in try reaper.reap(owner, transaction) }
        }
        dead.forEach(owner.forget)
        return taken
    }

    public func content(of entry: String) async throws(StoreError) -> WriteContent? {
        try await read { snapshot in try WriteContentReader.content(of: entry, snapshot) }
    }

    public func purge(settledBefore moment: Timestamp) async throws(StoreError) -> Int {
        try await write { transaction in
            try QueuePruning.removeSettled(before: moment.microseconds, transaction)
        }
    }

    public func nextDue(of sources: [String]) async throws(StoreError) -> Timestamp? {
        let now = clock.now
        return try await read { snapshot in
            var earliest: Timestamp?
            for source in sources {
                let due = try snapshot.first(
                    """
                    SELECT not_before FROM siding_queue
                    WHERE kind = 'write' AND state = 'queued' AND head = 1 AND waits_on = 0 AND source = ?1
                    ORDER BY not_before LIMIT 1
                    """, source
                ) { Timestamp(microseconds: $0.int(0)) }
                guard let due, let opens = try SourceStanding.load(source, snapshot).opens(now: now) else { continue }
                earliest = min(earliest ?? .init(microseconds: .max), max(due, opens))
            }
            return earliest
        }
    }

    public func endWaits(of sources: Set<String>?, because cause: WaitsEnd) async throws(StoreError) {
        let transitions = try transitions()
        try await write { transaction in
            let known = try transaction.query("SELECT name FROM siding_sources") { $0.text(0) }
            for source in known where sources?.contains(source) ?? true {
                try SourceStanding.endWaits(of: source, because: cause, transitions, transaction)
            }
        }
    }

    private func transitions() throws(StoreError) -> QueueTransitions {
        QueueTransitions(owner: try ownerID(), now: clock.now)
    }
}
