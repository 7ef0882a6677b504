internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Puts another request in the place of one that is not settled: a person's edit.
    ///
    /// What was accepted under a key is never sent otherwise under the same key, so this makes a new entry with a new id and
    /// a new key, at the same place in the lane, and drops the old one with a note of what replaced it. What waited for the
    /// old entry waits for the new one.
    /// - Throws: ``StoreError/Kind/invalidWrite`` where the entry is settled, is being sent, is a fetch, or cannot be kept
    ///   so.
    public func replace(_ entry: String, with change: WriteChange) async throws(StoreError) -> QueueEntry {
        try await decide(entry, by: .replace(change))
    }

    /// What an unsettled edit and the origin each would have of the record; nil for a write that is no edit, or is settled.
    public func conflict(of entry: String) async throws(StoreError) -> ConflictReport? {
        try await read { snapshot in try ConflictResolver.report(on: entry, snapshot) }
    }

    /// Carries out a person's decision, for any write that is not settled and not being sent.
    ///
    /// - Returns: the entry as it is now; for a merge the new one.
    /// - Throws: ``StoreError/Kind/invalidWrite`` where it cannot be done.
    public func resolve(
        _ entry: String, as resolution: ConflictResolution
    ) async throws(StoreError) -> QueueEntry {
        try await decide(entry, by: .resolve(resolution))
    }

    /// - Throws: ``StoreError/Kind/invalidWrite`` where it is refused.
    private func decide(_ entry: String, by decision: QueueDecision) async throws(StoreError) -> QueueEntry {
        guard let change = try await carryOut(decision, on: QueueSelection(ids: [entry])).first else {
            throw StoreError(.notFound, "no queue entry begins with '\(entry)'")
        }
        guard let refusal = change.refusal else { return change.entry }
        throw StoreError(
            .invalidWrite, "\(change.entry.shortID) cannot be changed: \(refusal)", hint: change.hint)
    }
}

extension WriteChange {
    /// - Throws: ``StoreError/Kind/invalidWrite`` where no write may be kept with it.
    func check() throws(StoreError) {
        do { try WriteSafety.check(self) } catch {
            throw StoreError(.invalidWrite, error.detail ?? error.description)
        }
    }
}
