// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Accepts a write. When this returns it is durable, and will be sent whatever happens to the process.
    ///
    /// - Returns: the new entry, or the existing one if `write` names its key and is the same request.
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the key belongs to another request or a parent was dropped,
    ///   ``StoreError/Kind/notFound`` if a parent does not exist.
    package func enqueue(_ write: WriteRequest) async throws(StoreError) -> QueueEntry {
        try WriteSafety.check(write)
        let transitions = try transitions()
        let entry = try await self.write { transaction in
            try WriteEnqueuer(write: write, transitions: transitions).enqueue(transaction)
        }
        if entry.recordKey != nil { changeSignal.fire() }
        return entry
    }

    /// Claims the next write: the oldest of its lane, due, without open parents, of a source whose gate is open. Sources take
    /// turns. After a gate's time is over, one request at a time probes the source until one succeeds (half-open probe).
    ///
    /// Entries that are past their expiry or their key's lifetime, or that cannot be read, are parked instead. A wait longer
    /// than the longest allowed one was set before the clock was set back, and counts as over.
    package func claim(_ request: ClaimRequest) async throws(StoreError) -> ClaimedWrite? {
        let transitions = try transitions()
        let claimedWork = claimedWork
        return try await write { transaction in try Self.claim(request, claimedWork, transitions, transaction) }
    }

    private static func claim(
        _ request: ClaimRequest, _ claimedWork: ClaimedWork, _ transitions: QueueTransitions,
        _ transaction: borrowing Transaction
    ) throws -> ClaimedWrite? {
        let write = try WriteClaimer(request: request, transitions: transitions).claim(transaction)
        // Registered before the commit, so that whoever sees the row also finds its owner.
        if let write { claimedWork.add(write.entry.id, write.entry.token) }
        return write
    }

    /// Records that the first byte of a write that may not be sent twice is about to be sent.
    ///
    /// - Throws: ``StoreError/Kind/leaseLost`` if this sender no longer owns the entry, ``StoreError/Kind/full`` if the disk has no
    ///   room for the result: nothing may be sent.
    package func markSent(_ write: ClaimedWrite) async throws(StoreError) {
        do { try owner.reserveSpace() } catch {
            let error = StoreError(mapping: error)
            throw StoreError(error.kind, "there is no room to save the answer, so it was not sent: \(error.message)")
        }
        let (me, now) = (try ownerID(), clock.now)
        let isOurs = try await self.write {
            try OutboxTable.markSent(write.entry.id, by: me, token: write.entry.token, at: now, $0)
        }
        guard isOurs else {
            throw StoreError(.leaseLost, "another process took over the entry \(write.entry.shortID)")
        }
    }

    /// Records the result of a claimed write and claims the next one in the same transaction: a sender waits for the disk once
    /// per write.
    ///
    /// - Returns: the entry afterwards, nil if this sender no longer owned it and nothing was changed; and the next write as
    ///   ``claim(_:)`` returns it.
    package func recordResult(
        _ write: ClaimedWrite, _ result: WriteResult, claiming request: ClaimRequest?
    ) async throws(StoreError) -> (entry: QueueEntry?, next: ClaimedWrite?) {
        // Recorded or not: this process is finished with the entry.
        defer { claimedWork.remove(write.entry.id, write.entry.token) }
        let transitions = try transitions()
        let recorder = WriteResultRecorder(
            write: write, hasLostTry: result.hasLostTry, transitions: transitions, jitter: jitter)
        let claimedWork = claimedWork
        let entry = write.entry
        let isUnsent = result.isUnsent && entry.firstSentAt == nil && entry.unknownSince == nil
        func record(
            claiming request: ClaimRequest?
        ) async throws(StoreError) -> (entry: QueueEntry?, next: ClaimedWrite?) {
            try await self.write { transaction in
                let entry = try recorder.record(result, transaction)
                // An entry that is not this sender's any more is not claimed again.
                let mayClaim = entry != nil || request?.entry == nil
                let next = try request.flatMap {
                    mayClaim ? try Self.claim($0, claimedWork, transitions, transaction) : nil
                }
                return (entry: entry, next: next)
            }
        }
        let result: (entry: QueueEntry?, next: ClaimedWrite?)
        do { result = try await record(claiming: request) } catch {
            guard error.kind == .full else { throw error }
            // Another write of this process may have freed the space already.
            _ = owner.freeSpace()
            do { result = try await record(claiming: nil) } catch {
                throw isUnsent ? write.unsent(error) : write.unsaved(error)
            }
        }
        if result.entry?.recordKey != nil { changeSignal.fire() }
        return result
    }

    /// Parks what has expired.
    func parkExpired() async throws(StoreError) {
        let transitions = try transitions()
        try await write { try transitions.parkExpired($0) }
    }

    /// Reclaims the writes of dead senders.
    package func reclaim() async throws(StoreError) -> [QueueEntry] {
        let sending = try await read { try OutboxTable.claimedWrites($0) }
        // Checked outside the transaction. A dead owner stays dead, because owner names are not reused.
        let dead = Set(sending.map(\.owner)).filter { !owner.isAlive($0) }
        let (me, claimedWork) = (try ownerID(), claimedWork)
        let left = sending.filter { dead.contains($0.owner) || $0.owner == me && !claimedWork.holds($0.id) }
        guard !left.isEmpty else { return [] }
        let reclaimer = WriteReclaimer(transitions: try transitions())
        let taken = try await write { transaction in
            // Since the read, this process may have reclaimed an entry of its own and claimed it again.
            try left.filter { $0.owner != me || !claimedWork.holds($0.id) }
                .compactMap { try reclaimer.reclaim($0.id, from: $0.owner, transaction) }
        }
        dead.forEach(owner.forget)
        return taken
    }
}

extension ClaimedWrite {
    /// No request was made, and that could not be saved.
    fileprivate func unsent(_ error: StoreError) -> StoreError {
        StoreError(
            error.kind, "\(entry.shortID) is stored, but was not sent, and why could not be saved: \(error.message)",
            hint: "free space on that disk; the next 'siding queue run' sends it")
    }

    /// The result of the write could not be saved.
    fileprivate func unsaved(_ error: StoreError) -> StoreError {
        let id = entry.shortID
        return StoreError(
            error.kind, "\(id) was sent, or may have been, and the result could not be saved: \(error.message)",
            hint: isResendable
                ? "free space on that disk; the next 'siding queue run' sends it again, which acts once"
                : "free space on that disk; 'siding queue run' then parks it where it may have arrived, and 'siding queue show "
                    + "\(id)' says what to do")
    }
}
