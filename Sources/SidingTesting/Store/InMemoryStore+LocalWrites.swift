public import Siding
internal import SidingJSON

extension InMemoryStore {
    public func apply(_ changes: RecordChanges) throws(StoreError) -> [RecordChangeOutcome]? {
        let outcomes: [RecordChangeOutcome]
        do throws(StoreError) {
            outcomes = try change { (tables, moment) throws(StoreError) in try tables.apply(changes, moment) }
        } catch {
            guard error.kind == .outdated else { throw error }
            return nil
        }
        if outcomes.contains(where: { $0 == .inserted || $0 == .updated }) { changeSignal.fire() }
        return outcomes
    }

    public func delete(_ selection: RecordSelection) throws(StoreError) -> Int {
        let keys = try select(selection).records.map(\.key)
        return try delete(RecordLookup(of: selection.resource, keys: keys))
    }

    public func delete(_ lookup: RecordLookup) throws(StoreError) -> Int {
        let count = try change { (tables, moment) throws(StoreError) in
            guard var resource = tables.resources[lookup.resource] else { return 0 }
            let count = resource.delete(lookup.keys, now: moment.now)
            tables.resources[lookup.resource] = resource
            return count
        }
        if count > 0 { changeSignal.fire() }
        return count
    }
}

extension MemoryTables {
    fileprivate mutating func apply(
        _ changes: RecordChanges, _ moment: MemoryMoment
    ) throws(StoreError) -> [RecordChangeOutcome] {
        if resources[changes.resource] == nil {
            try checkName(changes.resource)
            resources[changes.resource] = MemoryResource(source: changes.source, definition: changes.definition)
        }
        var resource = try resource(changes.resource)
        var outcomes: [RecordChangeOutcome] = []
        for row in changes.rows {
            outcomes.append(try resource.apply(row, of: changes, now: moment.now))
        }
        if outcomes.contains(where: { $0 == .inserted || $0 == .updated }) { resource.revision += 1 }
        resources[changes.resource] = resource
        return outcomes
    }
}

extension MemoryResource {
    fileprivate mutating func apply(
        _ row: RecordChanges.Row, of changes: RecordChanges, now: Timestamp
    ) throws(StoreError) -> RecordChangeOutcome {
        let key: RecordKey
        switch row.slice.outcome {
        case .fault(let fault): return .invalid(fault.reason)
        case .key(let found): key = found
        }
        keyKind = keyKind ?? key.kind
        guard key.kind == keyKind else { return .invalid("its key is of another kind than the resource's") }
        let text = changes.bytes.withUnsafeBytes { page in key.withBytes(in: page) { Array($0) } }
        let body = Array(changes.bytes[row.slice.range])
        let stored = records[text]
        let living = stored?.deletedAt == nil ? stored?.body : nil
        guard row.expectation.holds(living) else {
            throw StoreError(.outdated, "a record of '\(changes.resource)' changed meanwhile")
        }
        if living == body { return .unchanged }
        if living == nil { livesSince[text] = revision + 1 }
        records[text] = Record(
            resource: changes.resource, key: String(decoding: text, as: UTF8.self), body: body,
            firstSeenAt: stored?.firstSeenAt ?? now, changedAt: now, deletedAt: nil, run: 0,
            revision: revision + 1)
        return living == nil ? .inserted : .updated
    }

    fileprivate mutating func delete(_ keys: [String], now: Timestamp) -> Int {
        var count = 0
        for key in keys {
            let text = Array(key.utf8)
            guard var record = records[text], record.deletedAt == nil else { continue }
            (record.deletedAt, record.run, record.revision) = (now, 0, revision + 1)
            records[text] = record
            count += 1
        }
        if count > 0 { revision += 1 }
        return count
    }
}

extension RecordChanges.Expectation {
    fileprivate func holds(_ living: [UInt8]?) -> Bool {
        switch self {
        case .anything: true
        case .nothing: living == nil
        case .body(let body): living == body
        }
    }
}
