public import Siding

extension InMemoryStore {
    public func changes(of resource: String, since run: RunID) throws(StoreError) -> RecordsSince {
        try read { (tables) throws(StoreError) in
            let since = try tables.revision(of: resource, at: run)
            let changes = tables.resources[resource]?.changes(since: since) ?? []
            return RecordsSince(changes: changes, run: tables.runs.last { $0.run.endedAt != nil }?.run.id ?? 0)
        }
    }
}

extension MemoryTables {
    /// Where all resources stand now.
    var revisions: [String: Int64] { resources.mapValues(\.revision) }

    /// Nil for a time at which there was nothing of the resource.
    fileprivate func revision(of resource: String, at run: RunID) throws(StoreError) -> Int64? {
        guard run != 0 else { return nil }
        let found = runs[try index(of: run)]
        guard found.run.endedAt != nil else {
            throw StoreError(.invalidQuery, "run \(run) has not ended, so what changed since cannot be told yet")
        }
        return found.revisions[resource]
    }
}

extension MemoryResource {
    fileprivate func changes(since revision: Int64?) -> [ChangedRecord] {
        let since = revision ?? -1
        return records.filter { $0.value.revision > since }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { key, record in
                guard record.deletedAt == nil else { return ChangedRecord(key: record.key, kind: .deleted) }
                let isNew = livesSince[key] ?? 0 > since
                return ChangedRecord(key: record.key, kind: isNew ? .inserted : .updated)
            }
    }
}
