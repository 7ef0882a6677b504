internal import SidingChain
internal import SidingSQLite

extension SQLiteStore: EditStore {
    public func replace(_ entry: String, with change: WriteChange) async throws(StoreError) -> QueueEntry {
        let hand = try await hand()
        let new = try await write { transaction in
            try WriteReplacer(hand: hand).replace(entry, with: change, transaction)
        }
        changeSignal.fire()
        return new
    }

    public func conflict(of entry: String) async throws(StoreError) -> ConflictReport? {
        try await read { snapshot in try ConflictResolver.report(on: entry, snapshot) }
    }

    public func resolve(
        _ entry: String, as resolution: ConflictResolution
    ) async throws(StoreError) -> QueueEntry {
        let hand = try await hand()
        let resolved = try await write { transaction in
            try ConflictResolver(hand: hand).resolve(entry, as: resolution, transaction)
        }
        changeSignal.fire()
        return resolved
    }
}
