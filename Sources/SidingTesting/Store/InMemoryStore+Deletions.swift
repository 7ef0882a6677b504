public import Siding
internal import SidingJSON

extension InMemoryStore {
    public func missingKeys(of resource: String, limit: Int) throws(StoreError) -> [String] {
        try read { (tables) throws(StoreError) in
            guard let known = tables.resources[resource] else { return [] }
            let living = known.absences.filter { known.records[$0]?.deletedAt == nil }
            let keys = living.sorted { $0.lexicographicallyPrecedes($1) }
            return keys.prefix(max(limit, 0)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    public func doubtful(
        of resource: String, askedBefore moment: Timestamp
    ) throws(StoreError) -> DoubtfulRecords {
        try read { (tables) throws(StoreError) in
            guard let known = tables.resources[resource] else { return DoubtfulRecords(keys: []) }
            return known.doubtful(askedBefore: moment)
        }
    }

    public func settle(_ findings: AbsenceFindings) throws(StoreError) -> RunCounters {
        let counters = try change { (tables, moment) throws(StoreError) in
            try tables.check(findings.lease, moment)
            let settled = tables.resources[findings.resource]?.settle(findings, now: moment.now)
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
    mutating func track(_ isWanted: Bool) {
        guard tracksMembers != isWanted else { return }
        tracksMembers = isWanted
        (departures, absences, wasSingle) = ([:], [], false)
        for address in pages.keys {
            pages[address]?.members = nil
            if isWanted {
                pages[address]?.stored.etag = nil
                pages[address]?.stored.lastModified = nil
            }
        }
        guard isWanted else { return }
        departures[""] = Set(records.filter { $0.value.deletedAt == nil && $0.value.run > 0 }.keys)
    }

    /// Before a changed definition begins.
    mutating func redefine() {
        forgetPages { _, _ in true }
        departures = ["": departures.values.reduce(into: absences) { $0.formUnion($1) }]
        absences = []
        forgetInquiries()
        (isRedefined, wasSingle) = (true, false)
    }

    /// Forgets pages; what they showed may be gone.
    mutating func forgetPages(where isMeant: (MemoryAddress, MemoryPage) -> Bool) {
        for (address, page) in pages where isMeant(address, page) {
            departures["", default: []].formUnion(page.members ?? [])
            pages[address] = nil
        }
    }

    /// Notes what a page shows now.
    mutating func remember(_ shown: MemoryShown, on page: PageRequest, isWhole: Bool, isKept: Bool) {
        guard tracksMembers else { return }
        let address = MemoryAddress(page)
        let returned = absences.intersection(shown.keys)
        absences.subtract(returned)
        forgetInquiries()
        let isKnown = isWhole && isKept && !shown.hasUnknown
        var departed = isKept ? pages[address]?.members ?? [] : []
        if isKnown {
            departed.subtract(shown.keys)
        } else {
            departed.formUnion(isWhole && isKept ? shown.keys : shown.fresh.union(returned))
        }
        departures["", default: []].formUnion(departed)
        if isKept { pages[address]?.members = isKnown ? shown.keys : nil }
    }

    /// Decides at the end of the only listing what is gone.
    mutating func settleListing(_ page: PageCommit, _ listing: MemoryListing, now: Timestamp) -> RunCounters {
        let terms = page.deletions
        guard tracksMembers, terms.rule.byAbsence, listing.cursor.from == nil else { return RunCounters() }
        guard page.page.scope.isEmpty else {
            askWhole { $0.scope == page.page.scope }
            return RunCounters()
        }
        let isSingle = listing.pages == 1 && wasSingle
        wasSingle = listing.pages == 1
        guard unknownListings == 0 else {
            startOver()
            return RunCounters()
        }
        let isEnough = listing.run == page.run && (terms.isStable || isSingle)
        return judge(terms, isEnough: isEnough, living: nil, run: page.run, now: now).counters
    }

    var unknownListings: Int { Set(pages.filter { $0.value.members == nil }.map(\.key.scope)).count }

    mutating func startOver() {
        departures["", default: []].formUnion(absences)
        absences = []
        forgetInquiries()
        askWhole { _ in true }
    }

    private mutating func askWhole(_ isMeant: (MemoryAddress) -> Bool) {
        for address in pages.keys where isMeant(address) && pages[address]?.members == nil {
            pages[address]?.stored.etag = nil
            pages[address]?.stored.lastModified = nil
        }
    }

    /// What came of a search that counts.
    struct Verdict {
        var counters = RunCounters()
        var lacked: Set<[UInt8]> = []
        var lackedTwice: Set<[UInt8]> = []
    }

    /// Settles what no page shows.
    ///
    /// - Parameter living: the keys of the living parents; nil where there is one listing only.
    mutating func judge(
        _ terms: DeletionTerms, isEnough: Bool, living: Set<String>?, run: RunID, now: Timestamp
    ) -> Verdict {
        let before = absences
        let gone = search(living: living)
        let isFirst = isRedefined
        isRedefined = false
        var verdict = Verdict()
        verdict.lacked = gone.filter { records[$0]?.pending == 0 }
        verdict.lackedTwice = isFirst ? [] : verdict.lacked.intersection(before)
        let deletes = terms.rule.recordPath == nil && !isFirst
        let proven = !deletes ? [] : isEnough ? verdict.lacked : verdict.lackedTwice
        let isWithheld = !terms.isAccepted && deletionGuard(terms).withholds(proven.count)
        let deleted = isWithheld ? [] : proven
        for key in deleted { bury(key, run: run, now: now) }
        if !deleted.isEmpty { revision += 1 }
        absences = gone.subtracting(deleted)
        if isFirst, terms.rule.recordPath != nil, !terms.rule.isPathBound {
            departures["", default: []].formUnion(absences)
            absences = []
        }
        forgetInquiries()
        verdict.counters.deleted = deleted.count
        verdict.counters.withheld = isWithheld ? proven.count : 0
        return verdict
    }

    func deletionGuard(_ terms: DeletionTerms) -> DeletionGuard {
        let listed = pages.values.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.members ?? []) }.count
        return DeletionGuard(listed: listed, most: terms.rule.most)
    }

    /// The living records that no page shows; what belongs to parents that are gone is set aside.
    mutating func search(living: Set<String>?) -> Set<[UInt8]> {
        let asked = departures.keys.filter { $0.isEmpty || living?.contains($0) ?? true }
        var gone = asked.reduce(into: absences) { $0.formUnion(departures.removeValue(forKey: $1) ?? []) }
        for page in pages.values { gone.subtract(page.members ?? []) }
        gone = gone.filter { records[$0].map { $0.deletedAt == nil } ?? false }
        guard let living else { return gone }
        for key in gone {
            guard let parent = seenIn[key], !living.contains(parent) else { continue }
            departures[parent, default: []].insert(key)
            gone.remove(key)
        }
        return gone
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
