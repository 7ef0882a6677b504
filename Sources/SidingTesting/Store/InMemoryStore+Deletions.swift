public import Siding
internal import SidingJSON

extension InMemoryStore {
    public func missingKeys(of resource: String, limit: Int) throws(StoreError) -> [String] {
        try read { (tables) throws(StoreError) in
            guard let known = tables.resources[resource] else { return [] }
            let missing = known.absences.values.reduce(into: Set()) { $0.formUnion($1) }
            let living = missing.filter { known.records[$0]?.deletedAt == nil }
            let keys = living.sorted { $0.lexicographicallyPrecedes($1) }
            return keys.prefix(max(limit, 0)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    public func doubtful(
        of resource: String, scope: String, askedBefore moment: Timestamp
    ) throws(StoreError) -> DoubtfulRecords {
        try read { (tables) throws(StoreError) in
            guard let known = tables.resources[resource] else { return DoubtfulRecords(keys: [], areAnyGone: false) }
            return known.doubtful(scope: scope, askedBefore: moment)
        }
    }

    public func settle(_ findings: AbsenceFindings) throws(StoreError) -> RunCounters {
        let counters = try change { (tables, moment) throws(StoreError) in
            try tables.check(findings.lease, moment)
            let removed = tables.removed(of: findings.resource, in: findings.run)
            let settled = tables.resources[findings.resource]?.settle(findings, removed: removed, now: moment.now)
            var counters = settled ?? RunCounters()
            counters.requests = findings.requests
            try tables.count(counters, of: findings.resource, in: findings.run)
            return counters
        }
        if counters.deleted > 0 { changeSignal.fire() }
        return counters
    }

    public func undelete(_ run: RunID) throws(StoreError) -> [String: Int] {
        let counts = try change { (tables, moment) throws(StoreError) in
            var counts: [String: Int] = [:]
            for name in tables.resources.keys {
                if let count = tables.resources[name]?.undelete(run, now: moment.now), count > 0 {
                    counts[name] = count
                }
            }
            return counts
        }
        if !counts.isEmpty { changeSignal.fire() }
        return counts
    }
}

/// What was found on a page, by the bytes of the keys.
struct MemoryShown {
    var keys: Set<[UInt8]> = []
    var fresh: Set<[UInt8]> = []
    var hasUnknown = false
}

extension MemoryResource {
    /// Begins to keep what pages show, or ends it.
    mutating func track(_ isWanted: Bool, scope: String) {
        guard tracksMembers != isWanted else { return }
        tracksMembers = isWanted
        (departures, absences, singles) = ([:], [:], [])
        for address in pages.keys {
            pages[address]?.members = nil
            if isWanted {
                pages[address]?.stored.etag = nil
                pages[address]?.stored.lastModified = nil
            }
        }
        guard isWanted, scope.isEmpty else { return }
        departures[scope] = Set(records.filter { $0.value.deletedAt == nil && $0.value.run > 0 }.keys)
    }

    /// Forgets pages; what they showed may be gone.
    mutating func forgetPages(where isMeant: (MemoryAddress, MemoryPage) -> Bool) {
        for (address, page) in pages where isMeant(address, page) {
            departures[address.scope, default: []].formUnion(page.members ?? [])
            pages[address] = nil
        }
    }

    /// Notes what a page shows now.
    mutating func remember(_ shown: MemoryShown, on page: PageRequest, isWhole: Bool, isKept: Bool) {
        guard tracksMembers else { return }
        let (address, scope) = (MemoryAddress(page), page.scope)
        let returned = absences[scope, default: []].intersection(shown.keys)
        absences[scope]?.subtract(returned)
        forgetInquiries(scope)
        let isKnown = isWhole && isKept && !shown.hasUnknown
        var departed = isKept ? pages[address]?.members ?? [] : []
        if isKnown {
            departed.subtract(shown.keys)
        } else {
            departed.formUnion(isWhole && isKept ? shown.keys : shown.fresh.union(returned))
        }
        departures[scope, default: []].formUnion(departed)
        if isKept { pages[address]?.members = isKnown ? shown.keys : nil }
    }

    /// Decides at the end of a complete listing what is gone.
    mutating func settleAbsences(
        _ page: PageCommit, _ listing: MemoryListing, removed: Int, now: Timestamp
    ) -> RunCounters {
        let (scope, terms) = (page.page.scope, page.deletions)
        var counters = RunCounters()
        guard tracksMembers, terms.rule.byAbsence, listing.cursor.from == nil else { return counters }
        let isSingle = listing.pages == 1 && singles.contains(scope)
        if listing.pages == 1 { singles.insert(scope) } else { singles.remove(scope) }
        let own = pages.filter { $0.key.scope == scope }
        guard own.values.allSatisfy({ $0.members != nil }) else {
            departures[scope, default: []].formUnion(absences.removeValue(forKey: scope) ?? [])
            for address in own.keys where pages[address]?.members == nil {
                pages[address]?.stored.etag = nil
                pages[address]?.stored.lastModified = nil
            }
            return counters
        }
        let before = absences[scope] ?? []
        let gone = gone(from: scope, lackedBefore: before)
        departures[scope] = nil
        let proven = proven(gone, page, listing, before, isSingle: isSingle)
        let listed = pages.values.reduce(0) { $0 + $1.stored.recordCount }
        let limit = DeletionGuard(listed: listed, removed: scope.isEmpty ? 0 : removed, most: terms.rule.most)
        let isWithheld = !terms.isAccepted && limit.withholds(proven.count)
        let deleted = isWithheld ? [] : proven
        for key in deleted { bury(key, run: page.run, now: now) }
        if !deleted.isEmpty { revision += 1 }
        absences[scope] = gone.subtracting(deleted)
        forgetInquiries(scope)
        counters.deleted = deleted.count
        counters.withheld = isWithheld ? proven.count : 0
        return counters
    }

    private func gone(from scope: String, lackedBefore before: Set<[UInt8]>) -> Set<[UInt8]> {
        var gone = before.union(departures[scope] ?? [])
        for page in pages.values { gone.subtract(page.members ?? []) }
        for (other, keys) in departures where other != scope { gone.subtract(keys) }
        for (other, keys) in absences where other != scope { gone.subtract(keys) }
        return gone.filter { records[$0].map { $0.deletedAt == nil } ?? false }
    }

    private func proven(
        _ gone: Set<[UInt8]>, _ page: PageCommit, _ listing: MemoryListing, _ before: Set<[UInt8]>, isSingle: Bool
    ) -> Set<[UInt8]> {
        let isUnsure = pages.contains { $0.key.scope != page.page.scope && $0.value.members == nil }
        guard page.deletions.rule.recordPath == nil else { return [] }
        guard redefined != page.run, redefined != listing.run, !isUnsure else { return [] }
        let isEnough = listing.run == page.run && (page.deletions.isStable || isSingle)
        return gone.filter { key in
            records[key]?.pending == 0 && (isEnough || before.contains(key))
        }
    }

    mutating func bury(_ key: [UInt8], run: RunID, now: Timestamp) {
        guard var record = records[key] else { return }
        (record.deletedAt, record.run, record.revision) = (now, run, revision + 1)
        records[key] = record
        tombstones[run, default: [:]][key] = now
    }

    fileprivate mutating func undelete(_ run: RunID, now: Timestamp) -> Int {
        var count = 0
        for (key, moment) in tombstones.removeValue(forKey: run) ?? [:] {
            guard var record = records[key], record.deletedAt == moment, record.run == run else { continue }
            (record.deletedAt, record.changedAt, record.run, record.revision) = (nil, now, 0, revision + 1)
            records[key] = record
            livesSince[key] = revision + 1
            count += 1
        }
        if count > 0 { revision += 1 }
        return count
    }
}
