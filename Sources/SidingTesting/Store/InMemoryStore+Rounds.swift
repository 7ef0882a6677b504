public import Siding

extension InMemoryStore {
    public func openRound(_ opening: RoundOpening) throws(StoreError) -> RoundPosition {
        try change { (tables, moment) throws(StoreError) in
            let listing = opening.listing
            try tables.check(listing.lease, moment)
            let changed = try tables.register(listing)
            if !changed.isEmpty || listing.startsAnew {
                let reason = changed.isEmpty ? "a full listing was asked for" : "the definition changed"
                tables.discardAll(of: listing.resource, reason, moment)
            }
            tables.resources[listing.resource]?.track(listing.tracksMembers)
            let known = tables.resources[listing.resource]
            if listing.isUnconditional { tables.resources[listing.resource]?.forgetValidators(scope: nil) }
            var dropped: String?
            if let round = known?.round, round.isOpen, !listing.startsAnew {
                let progress = known?.lastProgress(of: round) ?? round.startedAt
                if listing.resumes(progress, now: moment.now) {
                    return RoundPosition(round: round.round, takesAll: round.takesAll, isResumed: true)
                }
                dropped = Resumption.roundTooOld(listing.resumeWithin)
            }
            let round = RoundState(
                round: (known?.round?.round ?? 0) + 1, isOpen: true, takesAll: listing.startsAnew,
                startedAt: moment.now, endedAt: nil)
            tables.resources[listing.resource]?.round = round
            return RoundPosition(
                round: round.round, takesAll: round.takesAll, isResumed: false, changedAspects: changed,
                droppedRound: dropped)
        }
    }

    public func endRound(_ end: RoundEnd) throws(StoreError) -> RoundFindings {
        let findings = try change { (tables, moment) throws(StoreError) in
            try tables.check(end.lease, moment)
            guard var resource = tables.resources[end.resource] else { return RoundFindings() }
            if resource.round?.round == end.round, resource.round?.isOpen == true {
                resource.round?.isOpen = false
                resource.round?.endedAt = moment.now
            }
            let isListed = tables.resources[end.parent]?.isKnown(since: resource.completedAt) ?? false
            let isOfAll = !resource.scoped.values.contains { $0.round == end.round && $0.isPassing }
            if end.isComplete, isOfAll, tables.resources[end.parent]?.completedAt != nil {
                (resource.completedAt, resource.asksAnew) = (moment.now, false)
            }
            tables.resources[end.resource] = resource
            for entry in tables.unsettledFetches(of: end.resource) {
                let scope = tables.scopes[entry.id] ?? ""
                guard resource.scoped[scope]?.round != end.round else { continue }
                let reason = "its record of '\(end.parent)' is not asked about any more"
                tables.settle(entry.id, as: .done, "superseded", reason, moment)
                tables.resources[end.resource]?.open[scope] = nil
                tables.resources[end.resource]?.scoped[scope]?.state = .incomplete
            }
            guard let parents = tables.resources[end.parent] else { return RoundFindings() }
            let living = Set(parents.records.values.filter { $0.deletedAt == nil }.map(\.key))
            tables.resources[end.resource]?.forgetScopes { !living.contains($0) }
            if isListed, end.isComplete, resource.knowsAll(of: living, in: end.round) {
                tables.resources[end.resource]?.knownAt = moment.now
            }
            let settled = tables.resources[end.resource]?.settle(
                end, living: living, isParentListed: isListed, now: moment.now)
            let findings = settled ?? RoundFindings()
            try tables.count(findings.counters, of: end.resource, in: end.run)
            return findings
        }
        if findings.counters.deleted > 0 { changeSignal.fire() }
        return findings
    }

    public func parents(_ selection: ParentSelection) throws(StoreError) -> [Parent] {
        try read { (tables) throws(StoreError) in
            let found = try tables.parents(selection, behind: selection.after).filter(\.isDue).map(\.parent)
            return selection.limit.map { Array(found.prefix(max($0, 0))) } ?? found
        }
    }

    public func outlook(_ selection: ParentSelection) throws(StoreError) -> ParentOutlook {
        try read { (tables) throws(StoreError) in
            try tables.parents(selection, behind: nil).reduce(into: ParentOutlook()) { outlook, found in
                outlook.all += 1
                guard found.isDue else { return }
                outlook.due += 1
                switch found.scope {
                case nil: outlook.new += 1
                case .some(let scope) where scope.state != .complete: outlook.unfinished += 1
                case .some(let scope) where found.parent.revision > scope.revision ?? -1: outlook.changed += 1
                case .some: break
                }
            }
        }
    }

    /// There is no SQL here.
    public func keys(ofQuery sql: String) throws(StoreError) -> [String] {
        throw StoreError(.invalidQuery, "this store has no SQL", hint: "choose the parents by their members")
    }

    public func scopedCursors(of resource: String) throws(StoreError) -> [ScopedCursor] {
        try read { (tables) throws(StoreError) in
            (tables.resources[resource]?.cursors ?? [:]).filter { !$0.key.isEmpty }
                .map { ScopedCursor(scope: $0.key, value: $0.value.value, movedAt: $0.value.movedAt) }
                .sorted { ($0.movedAt, $0.scope) < ($1.movedAt, $1.scope) }
        }
    }
}

/// What an ``InMemoryStore`` knows of one parent's listing.
struct MemoryScope {
    enum State { case open, complete, incomplete }

    var state: State
    var round: Int64?
    /// The parent's, when the last listing of all that is new began.
    var revision: Int64?
    var checkpointAt: Timestamp
    /// Whether the listing asks for changes only.
    var isOfChanges = false
    /// Whether it leaves out what lies behind the cursor.
    var isPassing = false
    /// Whether all records of the parent are known once it is complete.
    var knowsAll = false
    var root: String?

    mutating func move(_ next: NextPage, now: Timestamp) {
        checkpointAt = now
        switch next {
        case .page: state = .open
        case .end: state = .complete
        case .cut: state = .incomplete
        }
    }
}

extension MemoryResource {
    mutating func forgetRounds() {
        round = nil
        scoped = [:]
    }

    fileprivate mutating func forgetScopes(where isGone: (String) -> Bool) {
        let gone = Set(scoped.keys).union(cursors.keys).union(pages.keys.map(\.scope))
            .filter { !$0.isEmpty && isGone($0) }
        guard !gone.isEmpty else { return }
        var moved: [[UInt8]: String] = [:]
        scoped = scoped.filter { !gone.contains($0.key) }
        open = open.filter { !gone.contains($0.key) }
        cursors = cursors.filter { !gone.contains($0.key) }
        for address in answersSetAside where gone.contains(address.scope) {
            quarantined[address] = nil
            answersSetAside.remove(address)
        }
        for (address, page) in pages where gone.contains(address.scope) {
            // They wait for the parent to come back: that the others lack them proves nothing.
            departures[address.scope, default: []].formUnion(page.members ?? [])
            pages[address] = nil
        }
        // What another page shows was seen there.
        for (address, page) in pages.sorted(by: { $0.key.scope > $1.key.scope }) where !address.scope.isEmpty {
            for key in page.members ?? [] where seenIn[key].map(isGone) ?? false { moved[key] = address.scope }
        }
        seenIn.merge(moved) { _, scope in scope }
    }

    /// Whether all records were known at a moment after `moment`, and none is in quarantine.
    fileprivate func isKnown(since moment: Timestamp?) -> Bool {
        guard let knownAt else { return false }
        return moment.map { knownAt > $0 } ?? true && quarantined.values.allSatisfy { $0 == 0 }
    }

    /// Whether the listings of all `parents` in a round leave all records known.
    fileprivate func knowsAll(of parents: Set<String>, in round: Int64) -> Bool {
        parents.allSatisfy { key in
            scoped[key].map { $0.round == round && $0.state == .complete && $0.knowsAll } ?? false
        }
    }

    /// Whether not all is known of the pages of a listing of all there is.
    fileprivate func isUnknown(_ scope: String) -> Bool {
        guard tracksMembers, scoped[scope]?.isOfChanges == false else { return false }
        return pages.contains { $0.key.scope == scope && $0.value.members == nil }
    }

    func lastProgress(of round: RoundState) -> Timestamp {
        let saved = scoped.values.filter { $0.round == round.round }.map(\.checkpointAt).max()
        return max(saved ?? round.startedAt, round.startedAt)
    }
}

extension MemoryTables {
    fileprivate struct Found {
        var parent: Parent
        var scope: MemoryScope?
        var isDue: Bool
    }

    fileprivate func parents(_ selection: ParentSelection, behind after: String?) throws(StoreError) -> [Found] {
        guard let parents = resources[selection.parent] else { return [] }
        let child = resources[selection.resource]
        let records = try parents.selected(
            RecordSelection(of: selection.parent, filter: selection.filter, after: after))
        return records.filter { selection.keys?.contains($0.key) ?? true }.map { record in
            let scope = child?.scoped[record.key]
            let isLeft = selection.round.map { $0 != scope?.round || scope?.state == .open } ?? true
            let isUnknown = child?.isUnknown(record.key) ?? false
            let isChanged =
                scope.map { $0.state != .complete || record.revision > $0.revision ?? -1 || isUnknown } ?? true
            return Found(
                parent: Parent(
                    key: record.key, body: record.body, revision: record.revision,
                    checkpoint: child?.open[record.key]?.next, checkpointAt: child?.open[record.key]?.checkpointAt,
                    root: scope?.root),
                scope: scope, isDue: isLeft && (isChanged || !selection.areChanged))
        }
    }
}
