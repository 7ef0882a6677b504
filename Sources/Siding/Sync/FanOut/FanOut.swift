// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Syncs a resource that has a listing for each record of a parent resource: one fan-out pass over the due parents, several at
/// a time.
struct FanOut: Sendable {
    /// The sync that the listings of all parents share.
    let sync: ResourceSync
    let each: ForEach

    private var resource: AnyResource { sync.resource }
    private var options: SyncOptions { sync.options }
    private var store: Store { sync.engine.store }
    private var shard: Shard? { sync.engine.shard(dividing: resource) }

    /// Runs one fan-out pass. Skips it if the parent resource was never stored.
    func run() async throws(StoreError) -> SyncReport {
        guard try await store.freshness(of: each.resource) != nil else {
            var report = SyncReport(resource.name, .skipped)
            report.warn("'\(each.resource)' has no stored records yet: run 'siding sync \(each.resource)' first")
            return report
        }
        var tally = FanOutTally(sync)
        do throws(StoreError) { return try await pass(&tally) } catch {
            // An invalid `where` of `for_each` is an error of the config, not of the store.
            guard error.kind == .invalidQuery || error.kind == .timeLimit else { throw error }
            let failure = Failure(
                .invalidRequest, phase: .notSent, detail: "'where' in 'for_each': \(error.message)")
            var report = SyncReport(resource.name).failed(failure)
            // What was saved until then stays counted.
            report.result.counters = tally.report().result.counters
            report.result.error?.hint = error.hint
            return report
        }
    }

    private func pass(_ tally: inout FanOutTally) async throws(StoreError) -> SyncReport {
        var keys: [String]?
        if case .query(let sql)? = each.parents.filter { keys = try await store.keys(ofQuery: sql) }
        // An ad-hoc listing opens no fan-out pass, as it moves no checkpoint.
        let pass = options.isAdHoc ? nil : try await openPass(&tally)
        var selection = each.selection(for: resource.name, in: pass)
        let turns = ParentTurn.all(in: pass, of: sync.run).map(selection.of)
        selection.keys = keys
        let own = try await store.keys(of: selection, in: shard)
        let feed = ParentFeed(turns, keys: own, size: each.concurrency * 8)
        let rest = try await walk(feed, pass?.pass, &tally)
        if tally.mayLeaveSome { tally.leave(try await rest.unasked(in: store)) }
        if tally.isEmpty, !tally.isCutShort, let words = try await unfitting(keys) { tally.add(note: words) }
        if tally.hasOnlySkipped, try await !store.hasListings(of: resource.name) {
            tally.refuseToComplete(
                "nothing was requested: no due record of '\(each.resource)' has the values that 'bind' takes")
        }
        if let pass, tally.endsPass {
            return try await concluded(end(of: pass, isComplete: tally.isComplete), tally)
        }
        var report = tally.report()
        guard let pass else { return report }
        if tally.hasJustAskedAll { try await store.noteAllAsked(in: pass.pass, of: resource.name, lease: sync.lease) }
        report.openPass = tally.openPass
        return report
    }

    /// A message if `where` matches none of the stored parents, such as for a misspelt name; nil if it matches any.
    private func unfitting(_ keys: [String]?) async throws(StoreError) -> String? {
        guard each.parents.filter != nil, !each.parents.areChanged else { return nil }
        var selection = each.selection(for: resource.name, in: nil)
        selection.keys = keys
        guard try await store.outlook(selection).all == 0 else { return nil }
        let count = try await store.outlook(ParentSelection(resource: resource.name, parent: each.resource)).all
        guard count > 0 else { return nil }
        let records = count == 1 ? "not the one record" : "none of the \(MessageFormat.grouped(count)) records"
        return "'where' in 'for_each' fits \(records) of '\(each.resource)'"
    }

    /// Ends the fan-out pass, and reconciles the deletions.
    private func concluded(_ end: PassEnd, _ tally: FanOutTally) async throws(StoreError) -> SyncReport {
        let findings = try await store.endPass(end)
        var report = tally.report()
        report.result.counters += findings.counters
        sync.report(ofOtherShards: findings.ofOtherShards, &report)
        if let note = findings.note(of: resource.name, over: each.resource) { report.warn(note) }
        try await sync.reportMissingOfPass(&report)
        // An origin that asks to wait, or for a sign-in, says nothing of single records.
        if report.failure == nil, let verification = DeletionVerification(sync) {
            report = try await verification.run(report)
        }
        if report.result.outcome == .notModified, report.result.counters.deleted > 0 { report.result.outcome = .saved }
        try await sync.warnOfBlockedDeletions(
            &report, with: [each.resource], asksAll: each.parents.areChanged,
            besides: findings.ofOtherShards.deletionsBlocked)
        return report
    }

    private func end(of pass: PassPosition, isComplete: Bool) -> PassEnd {
        PassEnd(
            resource: resource.name, parent: each.resource, pass: pass.pass, lease: sync.lease, run: sync.run,
            isComplete: isComplete, isOfChanges: each.parents.areChanged && !pass.takesAll,
            deletions: sync.deletionTerms, shard: shard)
    }

    private func openPass(_ tally: inout FanOutTally) async throws(StoreError) -> PassPosition {
        var opening = ListingOpening(
            resource, options, lease: sync.lease, run: sync.run,
            first: PageRequest(url: resource.source.baseURL, number: 1, offset: 0),
            parent: ListingParent(resource: each.resource))
        opening.shard = shard
        var position = try await store.openPass(opening)
        if sync.engine.isOfService, let askedAt = position.askedAt,
            resource.isDueAnew(since: askedAt, at: sync.engine.now)
        {
            // Else one parent that fails for hours would keep the others from being listed.
            tally.add(ended: position, try await store.endPass(end(of: position, isComplete: false)))
            position = try await store.openPass(opening)
        }
        tally.add(position)
        return position
    }

    // MARK: The pass

    /// What came of one parent.
    private struct Ended: Sendable {
        let key: String
        let result: Result<SyncReport, StoreError>
    }

    /// Lists the parents, until none is left or the pass must stop.
    ///
    /// - Returns: the parents that are left.
    private func walk(
        _ feed: ParentFeed, _ pass: Int64?, _ total: inout FanOutTally
    ) async throws(StoreError) -> ParentFeed {
        // A limit holds for all parents together, so they run one by one, each with the remaining limit.
        let width = options.limit == nil && options.maxBytes == nil ? each.concurrency : 1
        let progress = FanOutProgress(resource.name, report: sync.engine.progress)
        let begun = total
        typealias Walked = (feed: ParentFeed, tally: FanOutTally, fault: StoreError?)
        let walked = await withTaskGroup(of: Ended.self, returning: Walked.self) { group in
            var (feed, tally, running, fault) = (feed, begun, 0, StoreError?.none)
            while true {
                while running < min(width, tally.room), fault == nil, tally.goesOn, !Task.isCancelled {
                    do throws(StoreError) {
                        guard let one = try await nextSync(&feed, pass, &tally, progress) else { break }
                        group.addTask { await Self.ended(one) }
                        running += 1
                    } catch { fault = error }
                }
                if fault != nil { group.cancelAll() }
                guard let ended = await group.next() else { break }
                running -= 1
                progress.finish(ended.key)
                switch ended.result {
                case .success(let report): tally.add(report, of: ended.key)
                case .failure(let error): fault = fault ?? error
                }
            }
            if Task.isCancelled { tally.stop() }
            return (feed, tally, fault)
        }
        total = walked.tally
        if let fault = walked.fault { throw fault }
        return walked.feed
    }

    private static func ended(_ sync: ResourceSync) async -> Ended {
        let key = sync.parent?.key ?? ""
        do throws(StoreError) { return Ended(key: key, result: .success(try await sync.runListing())) } catch {
            return Ended(key: key, result: .failure(error))
        }
    }

    /// The sync of the next parent for which a request can be made; nil if there is none.
    private func nextSync(
        _ feed: inout ParentFeed, _ pass: Int64?, _ tally: inout FanOutTally, _ progress: FanOutProgress
    ) async throws(StoreError) -> ResourceSync? {
        while let parent = try await feed.next(from: store) {
            if tally.hasLeft(parent.key) { continue }
            do throws(BoundParent.Unbound) {
                let bound = try BoundParent(parent, by: each, pass: pass)
                var one = sync
                one.parent = bound
                one.options.limit = options.limit.map { $0 - tally.saved }
                one.engine.progress = { progress.update($0.counters, of: bound.key) }
                return one
            } catch { tally.skip(parent.key, because: error.reason) }
        }
        return nil
    }
}

extension PassFindings {
    /// A message about missing records that were kept; nil if there are none.
    fileprivate func note(of resource: String, over parent: String) -> String? {
        guard unproven > 0 else { return nil }
        var reasons: [String] = []
        if unasked > 0 {
            let listings = MessageFormat.count(unasked, "listing was", plural: "listings were")
            reasons.append("\(listings) not completed in this pass")
        }
        if areParentsUnlisted {
            reasons.append(
                "the parents were not completely listed since the last pass, or some are in quarantine or have own edits "
                    + "('siding sync \(parent) \(resource) --full' lists all, unless '\(parent)' has a 'cursor.start')")
        }
        if isInterrupted { reasons.append("the pass was interrupted") }
        if unknown > 0 {
            reasons.append(
                "\(MessageFormat.count(unknown, "listing is", plural: "listings are")) not known completely "
                    + "(where an answer without content means none: 'errors: [{ when: { status: 204 }, do: empty }]')")
        }
        return "\(MessageFormat.count(unproven, "record is", plural: "records are")) missing from all listings but "
            + "\(unproven == 1 ? "was" : "were") kept: \(reasons.joined(separator: ", and "))"
    }
}

extension ForEach {
    /// The parents that are due in a fan-out pass; without a pass, all that match the filter.
    func selection(for resource: String, in pass: PassPosition?) -> ParentSelection {
        var selection = ParentSelection(
            resource: resource, parent: self.resource, pass: pass?.pass,
            areChanged: parents.areChanged && pass?.takesAll == false)
        if case .members(let filter)? = parents.filter { selection.filter = filter }
        return selection
    }
}

extension ParentSelection {
    func of(_ turn: ParentTurn?) -> ParentSelection {
        var selection = self
        selection.turn = turn
        return selection
    }

    /// Whether all of these were asked before.
    fileprivate var isAgain: Bool { if case .again = turn { true } else { false } }
}

/// Reads the due parents in small portions, to keep few of their bodies in memory.
struct ParentFeed: Sendable {
    /// The turns that are left; the first one is being read.
    private var turns: ArraySlice<ParentSelection>
    /// The keys of the query; nil without a query.
    private let queried: [String]?
    /// Those that are left in this turn.
    private var keys: ArraySlice<String>?
    private var portion: ArraySlice<Parent> = []
    /// Whether no portion of this turn is left to be read.
    private var isTurnRead = false
    private let size: Int

    /// - Parameters:
    ///   - turns: read one after the other.
    ///   - keys: in byte order; nil for all.
    ///   - size: the number of parents per portion.
    init(_ turns: [ParentSelection], keys: [String]?, size: Int) {
        self.turns = turns[...]
        queried = keys
        self.keys = keys.map { $0[...] }
        self.size = size
    }

    /// The next parent, in the order of the keys within a turn; nil at the end.
    mutating func next(from store: Store) async throws(StoreError) -> Parent? {
        while portion.isEmpty, let selection = turns.first {
            if isTurnRead {
                turns.removeFirst()
                (keys, isTurnRead) = (queried.map { $0[...] }, false)
            } else {
                isTurnRead = try await read(selection, from: store)
            }
        }
        return portion.popFirst()
    }

    /// The number of parents that were not asked, neither now nor by an earlier sync of the pass. It is 0 once the last turn of
    /// several has begun. One that was asked or skipped may still be due, so only those behind this place count.
    func unasked(in store: Store) async throws(StoreError) -> Int {
        guard var rest = turns.first, !rest.isAgain else { return 0 }
        guard !isTurnRead else { return portion.count }
        rest.keys = keys.map(Array.init)
        return portion.count + (try await store.outlook(rest).due)
    }

    /// - Returns: whether it was the last portion of its turn.
    private mutating func read(_ turn: ParentSelection, from store: Store) async throws(StoreError) -> Bool {
        var selection = turn
        guard let keys else {
            selection.limit = size
            portion = try await store.parents(selection)[...]
            turns[turns.startIndex].after = portion.last?.key ?? selection.after
            return portion.count < size
        }
        selection.keys = Array(keys.prefix(size))
        self.keys = keys.dropFirst(size)
        portion = try await store.parents(selection)[...]
        return self.keys?.isEmpty ?? true
    }
}
