internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Replaces the request of an open entry, as an operator action.
    ///
    /// A request accepted under one key is never changed under that key. So this adds a new entry with a new id and key at the
    /// same place in the lane, and drops the old one with a note in its history. Entries that waited for the old one wait for
    /// the new one.
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the entry is completed, is being sent, is a fetch, or would become
    ///   invalid.
    package func replace(_ entry: String, with change: WriteChange) async throws(StoreError) -> QueueEntry {
        try await decide(entry, by: .replace(change))
    }

    /// The local and remote versions of a record with a pending edit; nil for a write that is not an edit, or is completed.
    package func conflict(of entry: String) async throws(StoreError) -> ConflictReport? {
        try await read { snapshot in try ConflictResolver.report(on: entry, snapshot) }
    }

    /// Resolves a conflict, as an operator action on a write that is not completed and not being sent.
    ///
    /// - Returns: the entry afterwards; for a merge the new one.
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the action is refused.
    package func resolve(
        _ entry: String, as resolution: ConflictResolution
    ) async throws(StoreError) -> QueueEntry {
        try await decide(entry, by: .resolve(resolution))
    }

    /// - Throws: ``StoreError/Kind/invalidWrite`` if the action is refused.
    private func decide(_ entry: String, by decision: OperatorAction) async throws(StoreError) -> QueueEntry {
        guard let change = try await carryOut(decision, on: QueueSelection(ids: [entry])).first else {
            throw StoreError(.notFound, "no queue entry begins with '\(entry)'")
        }
        guard let refusal = change.refusal else { return change.entry }
        throw StoreError(
            .invalidWrite, "\(change.entry.shortID) cannot be changed: \(refusal)", hint: change.hint)
    }
}

extension WriteChange {
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the queue may not keep a write with this change.
    func check() throws(StoreError) {
        do { try WriteSafety.check(self) } catch {
            throw StoreError(.invalidWrite, error.detail ?? error.description)
        }
    }
}
