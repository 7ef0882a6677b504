internal import SidingChain
internal import SidingSQLite

extension SQLiteStore: EditStore {
    public func replace(_ entry: String, with change: WriteChange) async throws(StoreError) -> QueueEntry {
        try await decide(entry, by: .replace(change))
    }

    public func conflict(of entry: String) async throws(StoreError) -> ConflictReport? {
        try await read { snapshot in try ConflictResolver.report(on: entry, snapshot) }
    }

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
