internal import Logging
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

    /// Runs one fan-out pass. Skips it if the parent resource was never stored.
    func run() async throws(StoreError) -> ResourceSync.Report {
        guard try await store.freshness(of: each.resource) != nil else {
            var report = ResourceSync.Report(line: RunResource(resource: resource.name, outcome: .skipped))
            report.warn("nothing is stored of '\(each.resource)' yet: 'siding sync \(each.resource)' comes first")
            return report
        }
        do throws(StoreError) { return try await pass() } catch {
            // An invalid `where` of `for_each` is an error of the config, not of the store.
            guard error.kind == .invalidQuery || error.kind == .timeLimit else { throw error }
            let failure = Failure(
                .invalidRequest, phase: .notSent, detail: "'where' in 'for_each': \(error.message)")
            var report = sync.failed(
                failure, ResourceSync.Report(line: RunResource(resource: resource.name, outcome: .failed)))
            report.line.error?.hint = error.hint
            return report
        }
    }

    private func pass() async throws(StoreError) -> ResourceSync.Report {
        var keys: [String]?
        if case .query(let sql)? = each.parents.filter { keys = try await store.keys(ofQuery: sql) }
        var tally = FanOutTally(sync)
        // An ad-hoc listing opens no fan-out pass, as it moves no checkpoint.
        let pass = options.isAdHoc ? nil : try await openPass(&tally)
        let selection = each.selection(for: resource.name, in: pass)
        let feed = ParentFeed(selection, keys: keys, size: each.concurrency * 8)
        tally = try await walk(feed, pass?.pass, tally)
        if tally.isEmpty, !tally.isCutShort, let words = try await unfitting(keys) { tally.note(words) }
        if let pass, !tally.isCutShort, tally.queued == 0 || pass.isResumed {
            var end = PassEnd(
                resource: resource.name, parent: each.resource, pass: pass.pass, lease: sync.lease, run: sync.run,
                isComplete: tally.isComplete)
            end.isOfChanges = each.parents.areChanged && !pass.takesAll
            return try await settled(end, tally)
        }
        return tally.report()
    }

    /// A message if `where` matches none of the stored parents, such as for a misspelt name; nil if it matches any.
    private func unfitting(_ keys: [String]?) async throws(StoreError) -> String? {
        guard each.parents.filter != nil, !each.parents.areChanged else { return nil }
        var selection = each.selection(for: resource.name, in: nil)
        selection.keys = keys
        guard try await store.outlook(selection).all == 0 else { return nil }
        let count = try await store.outlook(ParentSelection(for: resource.name, of: each.resource)).all
        guard count > 0 else { return nil }
        let records = count == 1 ? "not the one record" : "none of the \(count) records"
        return "'where' in 'for_each' fits \(records) of '\(each.resource)'"
    }

    /// Ends the fan-out pass, and reconciles the deletions.
    private func settled(_ end: PassEnd, _ tally: FanOutTally) async throws(StoreError) -> ResourceSync.Report {
        var end = end
        end.deletions = DeletionTerms(
            resource.deletions, isStable: resource.isStable, isAccepted: options.acceptsDeletes)
        let findings = try await store.endPass(end)
        var report = tally.report()
        report.line.counters += findings.counters
        findings.notes(of: resource.name, over: each.resource).forEach { report.warn($0) }
        if let verification = DeletionVerification(sync) { report = try await verification.run(report) }
        let counters = report.line.counters
        if report.line.outcome == .notModified, counters.deleted > 0 { report.line.outcome = .saved }
        let withheld = counters.withheld + report.extra.withheld
        try await sync.withheld(withheld, with: [each.resource], asksAll: each.parents.areChanged)
            .forEach { report.warn($0) }
        return report
    }

    private func openPass(_ tally: inout FanOutTally) async throws(StoreError) -> PassPosition {
        var listing = ListingOpening(
            resource: resource.name, source: resource.source.name, definition: ResourceDefinition(resource),
            lease: sync.lease, run: sync.run, startsAnew: options.startsAnew,
            resumeWithin: resource.resumeWithin, first: PageRequest(url: resource.source.baseURL, number: 1, offset: 0),
            schema: resource.schema)
        listing.isUnconditional = options.isFull
        listing.parent = ListingParent(resource: each.resource, revision: 0, pass: nil)
        let position = try await store.openPass(PassOpening(listing, over: each.resource))
        tally.note(position)
        return position
    }

    // MARK: The pass

    /// What came of one parent.
    private struct Ended: Sendable {
        let key: String
        let result: Result<ResourceSync.Report, StoreError>
    }

    private func walk(
        _ feed: ParentFeed, _ pass: Int64?, _ tally: FanOutTally
    ) async throws(StoreError) -> FanOutTally {
        // A limit holds for all parents together, so they run one by one, each with the remaining limit.
        let width = options.limit == nil ? each.concurrency : 1
        let board = FanOutProgress(resource.name, report: sync.engine.progress)
        let result = await withTaskGroup(of: Ended.self, returning: Result<FanOutTally, StoreError>.self) { group in
            var (feed, tally, running, fault) = (feed, tally, 0, StoreError?.none)
            while true {
                while running < width, fault == nil, tally.goesOn, !Task.isCancelled {
                    do throws(StoreError) {
                        guard let one = try await nextSync(&feed, pass, &tally, board) else { break }
                        group.addTask { await Self.ended(one) }
                        running += 1
                    } catch { fault = error }
                }
                if fault != nil { group.cancelAll() }
                guard let ended = await group.next() else { break }
                running -= 1
                board.settle(ended.key)
                switch ended.result {
                case .success(let report): tally.add(report, of: ended.key)
                case .failure(let error): fault = fault ?? error
                }
            }
            if Task.isCancelled { tally.stop() }
            if let fault { return .failure(fault) }
            return .success(tally)
        }
        return try result.get()
    }

    private static func ended(_ sync: ResourceSync) async -> Ended {
        let key = sync.parent?.key ?? ""
        do throws(StoreError) { return Ended(key: key, result: .success(try await sync.run())) } catch {
            return Ended(key: key, result: .failure(error))
        }
    }

    /// The sync of the next parent for which a request can be made; nil if there is none.
    private func nextSync(
        _ feed: inout ParentFeed, _ pass: Int64?, _ tally: inout FanOutTally, _ board: FanOutProgress
    ) async throws(StoreError) -> ResourceSync? {
        while let parent = try await feed.next(from: store) {
            do throws(BoundParent.Unbound) {
                let bound = try BoundParent(parent, by: each, pass: pass)
                var options = options
                options.limit = options.limit.map { $0 - tally.saved }
                return ResourceSync(
                    engine: sync.engine.reporting { board.show($0.counters, of: bound.key) }, resource: resource,
                    options: options, lease: sync.lease, run: sync.run, parent: bound)
            } catch { tally.skip(parent.key, because: error.reason) }
        }
        return nil
    }
}

extension PassFindings {
    /// Messages about missing records that were kept.
    fileprivate func notes(of resource: String, over parent: String) -> [String] {
        guard unproven > 0 else { return [] }
        var reasons: [String] = []
        if unasked > 0 {
            reasons.append("\(unasked) \(unasked == 1 ? "listing was" : "listings were") not completed in this pass")
        }
        if areParentsUnlisted {
            reasons.append(
                "the parents were not completely listed since the last pass, or some are in quarantine or have own edits "
                    + "('siding sync \(parent) \(resource) --full' lists all)")
        }
        if isInterrupted { reasons.append("the pass was interrupted") }
        if unknown > 0 {
            reasons.append("\(unknown) \(unknown == 1 ? "listing is" : "listings are") not known completely")
        }
        return [
            "\(unproven == 1 ? "1 record is" : "\(unproven) records are") missing from all listings but "
                + "\(unproven == 1 ? "was" : "were") kept: \(reasons.joined(separator: ", and "))"
        ]
    }
}

extension ForEach {
    /// The parents that are due in a fan-out pass; without a pass, all that match the filter.
    func selection(for resource: String, in pass: PassPosition?) -> ParentSelection {
        var selection = ParentSelection(for: resource, of: self.resource, pass: pass?.pass)
        selection.areChanged = parents.areChanged && pass?.takesAll == false
        if case .members(let filter)? = parents.filter { selection.filter = filter }
        return selection
    }
}

extension ResourceSync {
    /// Syncs the whole resource: its one listing, or one listing per parent.
    func runWhole() async throws(StoreError) -> Report {
        let foreign = try await ForeignResource.look(
            for: resource, options, in: engine.store, file: engine.rateLimitStore)
        if let foreign { return foreign.report(of: resource) }
        let watch = ConfigChange(resource: resource, options: options, store: engine.store)
        let left = try await watch.leftOut()
        if let left, let why = watch.refusal(left) { return refused(left.count, because: why) }
        let marked = try await watch.marked()
        if let marked, let why = watch.refusal(marked) { return refused(marked.count, because: why) }
        var report =
            if let forEach = resource.forEach {
                try await FanOut(sync: self, each: forEach).run()
            } else {
                try await run()
            }
        try await rewriteRecords(&report)
        if let marked, report.line.counters.deleted > 0 {
            report.warn(
                "'deletes' changed: \(marked.words) are deleted as pages show them; 'siding records undelete \(run)' restores them"
            )
        }
        if let doubt = left?.doubt { report.warn("\(doubt): is it spelt as the origin spells it?") }
        report.note(nullFiltered: report.line.counters.nullFiltered, in: run)
        return report
    }

    /// Rewrites the stored records as the config declares them since the last sync.
    func rewriteRecords(_ report: inout Report) async throws(StoreError) {
        let (name, logger) = (resource.name, engine.environment.logger)
        let rows = try await engine.store.rewriteRecords(of: name) { rows in
            logger.info("rewrote stored records", metadata: ["resource": "\(name)", "records": "\(rows)"])
        }
        guard rows > 0 else { return }
        report.line.notes.append("'columns' or 'drop' changed: \(rows) stored records were rewritten")
    }

    /// The report of a sync that sends no request, as it would delete too many records.
    private func refused(_ count: Int, because why: String) -> Report {
        var report = Report(line: RunResource(resource: resource.name, outcome: .saved))
        report.extra.withheld = count
        report.warn(
            "\(why), so nothing was requested or changed. To do it all the same: siding sync \(resource.name) "
                + "--accept-deletes")
        return report
    }
}

extension SyncEngine {
    /// The same engine, which reports its progress to `progress`.
    fileprivate func reporting(to progress: @escaping @Sendable (SyncProgress) -> Void) -> SyncEngine {
        var engine = self
        engine.progress = progress
        return engine
    }
}
