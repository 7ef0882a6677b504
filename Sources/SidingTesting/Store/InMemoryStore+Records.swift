public import Siding

extension InMemoryStore {
    public func records(
        of resource: String, after key: String?, limit: Int, deleted: Bool
    ) throws(StoreError) -> [Record] {
        try read { (tables) throws(StoreError) in
            let start = key.map { Array($0.utf8) }
            let found = try tables.resource(resource).records
                .filter { ($0.value.deletedAt != nil) == deleted && start.map($0.key.follows) ?? true }
                .sorted { $1.key.follows($0.key) }
            return Array(found.map(\.value).prefix(max(limit, 0)))
        }
    }

    public func record(of resource: String, key: String) throws(StoreError) -> Record? {
        try read { (tables) throws(StoreError) in try tables.resource(resource).records[Array(key.utf8)] }
    }

    public func count(of resource: String) throws(StoreError) -> RecordCount {
        try read { (tables) throws(StoreError) in
            let records = try tables.resource(resource).records.values
            let deleted = records.count { $0.deletedAt != nil }
            return RecordCount(resource: resource, count: records.count - deleted, deleted: deleted)
        }
    }

    public func resourceStates() throws(StoreError) -> [ResourceState] {
        try read { (tables) throws(StoreError) in
            tables.resources.sorted { Array($1.key.utf8).follows(Array($0.key.utf8)) }.map { name, resource in
                var state = ResourceState(
                    resource: name, source: resource.source, definition: resource.definition,
                    records: resource.records.values.count { $0.deletedAt == nil },
                    quarantined: resource.quarantined.values.reduce(0, +), completedAt: resource.completedAt,
                    checkpoint: resource.open[""]?.next,
                    checkpointCursor: resource.open[""]?.cursor ?? ListingCursor(), freshness: resource.freshness,
                    round: resource.round)
                state.progressedAt = resource.round.map(resource.lastProgress) ?? resource.open[""]?.checkpointAt
                return state
            }
        }
    }
}

extension [UInt8] {
    /// Whether these bytes come after `other` in byte order.
    fileprivate func follows(_ other: [UInt8]) -> Bool { other.lexicographicallyPrecedes(self) }
}
