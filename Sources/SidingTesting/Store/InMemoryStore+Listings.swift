public import Siding

extension InMemoryStore {
    public func openListing(_ opening: ListingOpening) throws(StoreError) -> ListingPosition {
        try change { (tables, moment) throws(StoreError) in
            try tables.check(opening.lease, moment)
            if opening.isAside {
                if tables.resources[opening.resource] == nil { _ = try tables.register(opening) }
                return ListingPosition(listing: 0, page: opening.first, isResumed: false)
            }
            let changed = try tables.register(opening)
            if !changed.isEmpty { tables.discardAll(of: opening.resource, "the definition changed", moment) }
            tables.resources[opening.resource]?.track(opening.tracksMembers)
            if opening.isUnconditional {
                tables.resources[opening.resource]?.forgetValidators(scope: opening.first.scope)
            }
            var dropped: String?
            if opening.startsAnew {
                tables.discard(opening, "a full listing was asked for", moment)
            } else {
                dropped = tables.leaveOtherAddress(opening, moment) ?? tables.dropOldCheckpoint(opening, moment)
            }
            var position = tables.resume(opening, moment) ?? tables.begin(opening, moment)
            position.changedAspects = changed
            position.droppedCheckpoint = dropped
            return position
        }
    }

    public func restartListing(
        _ opening: ListingOpening, because reason: String
    ) throws(StoreError) -> ListingPosition {
        try change { (tables, moment) throws(StoreError) in
            try tables.check(opening.lease, moment)
            _ = try tables.register(opening)
            tables.discard(opening, reason, moment)
            tables.resources[opening.resource]?.forgetPages { address, _ in address.scope == opening.first.scope }
            if opening.forgetsCursor {
                tables.resources[opening.resource]?.cursors[opening.first.scope] = nil
            }
            var position = tables.begin(opening, moment)
            position.droppedCheckpoint = reason
            return position
        }
    }

    public func cursor(of resource: String, scope: String) throws(StoreError) -> StoredCursor? {
        try read { (tables) throws(StoreError) in
            tables.resources[resource].flatMap { known in
                known.cursors[scope].map {
                    StoredCursor(
                        value: $0.value, movedAt: $0.movedAt, definition: known.definition,
                        root: known.scoped[scope]?.root)
                }
            }
        }
    }

    public func setCursor(_ value: String?, of resource: String, lease: Lease) throws(StoreError) {
        try change { (tables, moment) throws(StoreError) in
            try tables.check(lease, moment)
            _ = try tables.resource(resource)
            if let value {
                tables.resources[resource]?.cursors[""] = (value, moment.now)
                tables.resources[resource]?.knownAt = nil
            } else {
                tables.resources[resource]?.cursors = [:]
            }
            tables.resources[resource]?.freshness = ListingFreshness()
            tables.resources[resource]?.asksAnew = true
            tables.discardAll(of: resource, "the cursor was set by hand", moment)
            tables.resources[resource]?.forgetRounds()
        }
    }

    public func freshness(of resource: String) throws(StoreError) -> ResourceFreshness? {
        try read { (tables) throws(StoreError) in
            tables.resources[resource].map {
                ResourceFreshness(
                    definition: $0.definition, completedAt: $0.completedAt, said: $0.freshness,
                    isUnfinished: $0.asksAnew || !$0.open.isEmpty, source: $0.source)
            }
        }
    }

    public func storedPage(_ page: PageRequest, of resource: String) throws(StoreError) -> StoredPage? {
        try read { (tables) throws(StoreError) in tables.resources[resource]?.pages[MemoryAddress(page)]?.stored }
    }

    public func commit(_ page: PageCommit) throws(StoreError) -> RunCounters {
        let saved = try change { (tables, moment) throws(StoreError) in
            try tables.check(page.lease, moment)
            var resource = try tables.resource(page.resource)
            var (found, shown) = resource.save(page, now: moment.now)
            if page.hasNoList { shown?.hasUnknown = true }
            var counters = found
            counters.pages = 1
            counters.requests = page.requests
            counters.bytes = page.bytes
            if let progress = page.progress {
                counters += try resource.move(page, progress, shown, now: moment.now)
            } else if let shown {
                resource.remember(shown, on: page.page, isWhole: false, isKept: false)
                if found.updated + found.deleted > 0 { resource.forgetValidators(showing: shown.keys) }
            }
            tables.resources[page.resource] = resource
            if let entry = page.settles { tables.settle(entry, as: .done, "answered", nil, moment) }
            try tables.count(counters, of: page.resource, in: page.run)
            return counters
        }
        if saved.inserted + saved.updated + saved.deleted > 0 { changeSignal.fire() }
        return saved
    }
}

extension MemoryTables {
    /// Makes the resource known, and tells in which aspects its definition changed.
    mutating func register(_ opening: ListingOpening) throws(StoreError) -> [String] {
        guard var known = resources[opening.resource] else {
            try checkName(opening.resource)
            resources[opening.resource] = MemoryResource(source: opening.source, definition: opening.definition)
            return []
        }
        let changed = opening.definition.differences(from: known.definition)
        (known.source, known.definition) = (opening.source, opening.definition)
        if !changed.isEmpty {
            known.redefine()
            if changed.contains("for_each") { known.seenIn = [:] }
            (known.cursors, known.knownAt) = ([:], nil)
            known.forgetRounds()
            if changed.contains("key") {
                (known.keyKind, known.departures, known.absences) = (nil, [:], [])
            }
        }
        resources[opening.resource] = known
        for index in queue.indices where queue[index].isFetch && queue[index].entry.resource == opening.resource {
            queue[index].entry.source = opening.source
        }
        return changed
    }

    func checkName(_ name: String) throws(StoreError) {
        let lower = name.lowercased()
        let isTaken = lower.hasPrefix("siding_") || lower.hasPrefix("sqlite_")
        guard !name.isEmpty, !isTaken, !resources.keys.contains(where: { $0.lowercased() == lower }) else {
            throw StoreError(.invalidName, "a resource cannot be called '\(name)'")
        }
    }

    fileprivate mutating func discard(_ opening: ListingOpening, _ reason: String, _ moment: MemoryMoment) {
        let scope = opening.first.scope
        resources[opening.resource]?.open[scope] = nil
        resources[opening.resource]?.scoped[scope]?.state = .incomplete
        if let entry = unsettledFetch(of: opening.resource, scope: scope) {
            settle(entry.id, as: .done, "superseded", reason, moment)
        }
    }

    mutating func discardAll(of resource: String, _ reason: String, _ moment: MemoryMoment) {
        let opened = resources[resource].map { Array($0.open.keys) } ?? []
        for scope in opened { resources[resource]?.scoped[scope]?.state = .incomplete }
        resources[resource]?.open = [:]
        for entry in unsettledFetches(of: resource) { settle(entry.id, as: .done, "superseded", reason, moment) }
    }

    /// Forgets what is known of a listing that began elsewhere, as its parent was another one then.
    fileprivate mutating func leaveOtherAddress(_ opening: ListingOpening, _ moment: MemoryMoment) -> String? {
        let scope = opening.first.scope
        guard let root = opening.root, let old = resources[opening.resource]?.scoped[scope]?.root, old != root else {
            return nil
        }
        let reason = "its parent has another address now"
        let isOpen = resources[opening.resource]?.open[scope] != nil
        resources[opening.resource]?.cursors[scope] = nil
        discard(opening, reason, moment)
        return isOpen ? reason : nil
    }

    fileprivate mutating func dropOldCheckpoint(_ opening: ListingOpening, _ moment: MemoryMoment) -> String? {
        guard let open = resources[opening.resource]?.open[opening.first.scope],
            !opening.resumes(open.checkpointAt, now: moment.now)
        else { return nil }
        if let entry = unsettledFetch(of: opening.resource, scope: opening.first.scope), entry.waitsForPerson {
            return nil
        }
        let reason = Resumption.tooOld(opening.resumeWithin)
        discard(opening, reason, moment)
        return reason
    }

    fileprivate mutating func resume(_ opening: ListingOpening, _ moment: MemoryMoment) -> ListingPosition? {
        let scope = opening.first.scope
        guard let known = resources[opening.resource], let open = known.open[scope] else { return nil }
        let entry = unsettledFetch(of: opening.resource, scope: scope)
        // Of a listing without a page nothing is lost: the config may have been mended since.
        guard open.next.number > 1 || entry != nil else { return nil }
        var position = ListingPosition(
            listing: known.listings[scope] ?? 0, page: open.next, isResumed: open.next.number > 1)
        position.cursor = open.cursor
        position.freshness = open.freshness
        if let parent = opening.parent { resources[opening.resource]?.scoped[scope]?.round = parent.round }
        guard let entry else { return position }
        position.isResumed = true
        let claimed = claim(entry, moment)
        if claimed.state == .sending { position.entry = claimed } else { position.blockedBy = claimed }
        return position
    }

    fileprivate mutating func begin(_ opening: ListingOpening, _ moment: MemoryMoment) -> ListingPosition {
        let scope = opening.first.scope
        resources[opening.resource]?.listings[scope, default: 0] += 1
        let wasKnown =
            scope.isEmpty
            ? resources[opening.resource]?.knownAt != nil
            : resources[opening.resource]?.scoped[scope].map { $0.state == .complete && $0.knowsAll } ?? false
        resources[opening.resource]?.open[scope] = MemoryListing(
            next: opening.first, checkpointAt: moment.now, cursor: opening.cursor, run: opening.run,
            knowsAll: opening.cursor.from == nil || (opening.cursor.moves && wasKnown))
        let known = resources[opening.resource]?.scoped[scope]?.revision
        resources[opening.resource]?.scoped[scope] = opening.parent.map {
            MemoryScope(
                state: .open, round: $0.round, revision: opening.cursor.isPassing ? known : $0.revision,
                checkpointAt: moment.now, isOfChanges: opening.cursor.from != nil,
                isPassing: opening.cursor.isPassing, root: opening.root)
        }
        var position = ListingPosition(
            listing: resources[opening.resource]?.listings[scope] ?? 1, page: opening.first, isResumed: false)
        position.cursor = opening.cursor
        position.cursor.waits =
            resources[opening.resource]?.pages.contains { address, page in
                address.scope == scope && page.stored.furthest?.isEmpty == true
            } ?? false
        return position
    }
}
