internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Accepts a write: when this returns it is durable, and is sent sooner or later whatever happens to the process.
    ///
    /// - Returns: the entry; the one that is there already where `write` names its key and is the same request.
    /// - Throws: ``StoreError/Kind/invalidWrite`` where the key stands for another request or a parent is settled as
    ///   dropped, ``StoreError/Kind/notFound`` for a parent that is not there.
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

    /// Takes the next write in hand: the oldest of its lane, without unsettled parents, due, of a source whose gate is open;
    /// sources take turns. While a gate's time is over but nothing has succeeded since, one request at a time probes it.
    ///
    /// What is past its expiry or its key's lifetime, or cannot be read, is parked instead. A wait that is longer than any
    /// can be, because the clock was set back since, is over.
    public func claim(_ request: ClaimRequest) async throws(StoreError) -> ClaimedWrite? {
        let transitions = try transitions()
        let inHand = inHand
        return try await write { transaction in try Self.take(request, inHand, transitions, transaction) }
    }

    private static func take(
        _ request: ClaimRequest, _ inHand: WorkInHand, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws -> ClaimedWrite? {
        let write = try WriteClaimer(request: request, transitions: transitions).claim(transaction)
        // Before the commit, so that nobody who sees the row finds it in nobody's hand.
        if let write { inHand.take(write.entry.id, write.token) }
        return write
    }

    /// Notes that the first byte is about to leave, for a write that may not be sent twice.
    ///
    /// - Throws: ``StoreError/Kind/leaseLost`` where the entry is not this sender's any more: nothing may be sent.
    public func markSent(_ write: ClaimedWrite) async throws(StoreError) {
        let settler = WriteSettler(write: write, transitions: try transitions(), jitter: jitter)
        let isOurs = try await self.write { transaction in try settler.markSent(transaction) }
        guard isOurs else {
            throw StoreError(.leaseLost, "another process took over the entry \(write.entry.shortID)")
        }
    }

    /// Settles a write in hand and takes the next one, in one transaction: a sender waits for the disk once per write.
    ///
    /// - Parameter request: nil to take none.
    /// - Returns: the entry as it is now, nil where it was not this sender's any more, and nothing was changed; and the next
    ///   write as ``claim(_:)`` answers it.
    public func settle(
        _ write: ClaimedWrite, _ settlement: WriteSettlement, claiming request: ClaimRequest?
    ) async throws(StoreError) -> (entry: QueueEntry?, next: ClaimedWrite?) {
        // Settled or not: nobody comes back to it.
        defer { inHand.leave(write.entry.id, write.token) }
        let transitions = try transitions()
        let settler = WriteSettler(write: write, transitions: transitions, jitter: jitter)
        let inHand = inHand
        let result = try await self.write { transaction in
            let entry = try settler.settle(settlement, transaction)
            let next = try request.flatMap { try Self.take($0, inHand, transitions, transaction) }
            return (entry: entry, next: next)
        }
        if result.entry?.recordKey != nil { changeSignal.fire() }
        return result
    }

    /// Takes up what dead senders had in hand.
    ///
    /// - Returns: the entries that were taken up, as they are now.
    public func reap() async throws(StoreError) -> [QueueEntry] {
        let sending = try await read { snapshot in
            try snapshot.query("SELECT id, owner FROM siding_queue WHERE owner IS NOT NULL AND kind = 'write'") {
                (id: $0.text(0), owner: $0.text(1))
            }
        }
        // Whether an owner lives is asked outside the transaction; once dead it stays so, as no name is used again.
        let dead = Set(sending.map(\.owner)).filter { !owner.isAlive($0) }
        let (me, inHand) = (try ownerID(), inHand)
        let left = sending.filter { dead.contains($0.owner) || $0.owner == me && !inHand.holds($0.id) }
        guard !left.isEmpty else { return [] }
        let reaper = WriteReaper(transitions: try transitions())
        let taken = try await write { transaction in
            // Since the look, this process may have taken up an entry of its own, and claimed it anew.
            try left.filter { $0.owner != me || !inHand.holds($0.id) }
                .compactMap { try reaper.takeUp($0.id, from: $0.owner, transaction) }
        }
        dead.forEach(owner.forget)
        return taken
    }

    /// What the queue keeps of a write; nil where `entry`, a whole id, is none.
    public func content(of entry: String) async throws(StoreError) -> WriteContent? {
        try await read { snapshot in try WriteContentReader.content(of: entry, snapshot) }
    }

    /// Ends waiting that has no reason any more: gates open for a probe, and entries that waited for the line are due.
    /// What an origin asked for, its `Retry-After`, holds.
    ///
    /// - Parameter sources: whose; nil for all.
    public func endWaits(of sources: Set<String>?, because cause: WaitsEnd) async throws(StoreError) {
        let transitions = try transitions()
        try await write { transaction in
            let known = try transaction.query("SELECT name FROM siding_sources") { $0.text(0) }
            for source in known where sources?.contains(source) ?? true {
                try SourceHealthRows.endWaits(of: source, because: cause, transitions, transaction)
            }
        }
    }

    func transitions() throws(StoreError) -> QueueTransitions {
        QueueTransitions(owner: try ownerID(), now: clock.now)
    }
}
