// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging
internal import SidingChain
internal import SidingCredentials
internal import SidingPaging

/// Syncs one resource under its lease: refuses what would do harm, then lists it, or lists it once per parent.
struct ResourceSync: Sendable {
    var engine: SyncEngine
    let resource: AnyResource
    var options: SyncOptions
    let lease: Lease
    let run: RunID
    /// The parent of the listing; nil if the resource has a single listing.
    var parent: BoundParent?
    /// How the pages of the listing got through so far; nil if their size stays the same.
    var sizing: PageSizing?

    private static let noticeableWait = Duration.seconds(1)

    var nextPageRule: NextPageRule { NextPageRule(resource: resource, size: sizing?.size) }

    /// Syncs the whole resource: its one listing, or one listing per parent.
    func runWhole() async throws(StoreError) -> SyncReport {
        // 1. Read what is stored of it.
        let open = try await engine.store.begin(resource)
        // 2. Refuse what would mix, or delete too many records.
        let foreign = try await ForeignResource.error(
            for: resource, options, known: open.freshness, in: engine.store, file: engine.rateLimitStore)
        if let foreign {
            var report = SyncReport(resource.name, error: foreign)
            report.failure = Failure(.invalidRequest, phase: .notSent, detail: foreign.message)
            return report
        }
        let change = ConfigChange(resource: resource, options: options, known: open.freshness, store: engine.store)
        let left = try await change.filteredOut()
        if let left, let why = change.refusal(left) { return refused(left.count, because: why) }
        let marked = try await change.marked()
        if let marked, let why = change.refusal(marked) { return refused(marked.count, because: why) }
        // 3. List it.
        var report: SyncReport
        if let forEach = resource.forEach {
            report = try await FanOut(sync: self, each: forEach).run()
            try await warnOfSharedKeys(&report)
            try await rewriteRecords(&report)
        } else {
            report = try await runListing(open)
        }
        // 4. Say what it waited for, what was not understood, and what the config did to stored records.
        if report.waited >= Self.noticeableWait {
            report.add(note: "waited \(MessageFormat.duration(report.waited)) for the origin")
        }
        report.unreadableLimits.sorted().forEach { report.warn($0) }
        try await warnOfUnusableKeys(&report)
        if options.isFull, resource.cursor?.start != nil, resource.deletions.byAbsence {
            report.warn(
                "the listing began at 'cursor.start', so it did not ask for all records, and no missing record was deleted: leave "
                    + "'start' out if the origin lists everything without it")
        }
        if let marked, report.result.counters.deleted > 0 {
            report.warn(
                "'deletes' changed: \(marked.message), are deleted when pages contain them; 'siding records undelete "
                    + "\(run)' restores them")
        }
        if let caution = left?.caution { report.warn("\(caution): check the spelling") }
        let nullFiltered = report.result.counters.nullFiltered
        if nullFiltered > 0 {
            let were = MessageFormat.count(nullFiltered, "record was", plural: "records were")
            let them = nullFiltered == 1 ? "it" : "them"
            report.add(
                note:
                    "\(were) removed because 'where' is NULL for \(them); 'siding records undelete \(run)' "
                    + "restores \(them)")
        }
        return report
    }

    /// Syncs one listing.
    ///
    /// - Parameter open: what is stored of it, if that was read already.
    func runListing(_ open: OpenResource? = nil) async throws(StoreError) -> SyncReport {
        let store = engine.store
        let open = if let open { open } else { try await store.begin(resource, for: parent) }
        var sync = self
        sync.sizing = open.sizing(of: resource, isFull: options.isFull)
        var listing: ListingSync
        do throws(Failure) { listing = try ListingSync(sync, open) } catch {
            return SyncReport(resource.name).failed(error)
        }
        return try await listing.run()
    }

    /// Rewrites the stored records as the config declares them since the last sync.
    func rewriteRecords(_ report: inout SyncReport) async throws(StoreError) {
        let (name, logger) = (resource.name, engine.environment.logger)
        let rows = try await engine.store.rewriteRecords(of: name) { rows in
            logger.info("rewrote stored records", metadata: ["resource": "\(name)", "records": "\(rows)"])
        }
        guard rows > 0 else { return }
        let were = MessageFormat.count(rows, "stored record was", plural: "stored records were")
        report.add(note: "'columns' or 'drop' changed: \(were) rewritten")
    }

    /// The report of a sync that sends no request, as it would delete too many records.
    private func refused(_ count: Int, because why: String) -> SyncReport {
        var report = SyncReport(resource.name, .saved)
        report.result.counters.deletionsBlocked = count
        report.warn(
            "\(why), so nothing was requested or changed. To do it anyway: siding sync \(resource.name) "
                + "--accept-deletes")
        return report
    }

    // MARK: What its requests share

    var context: ChainContext {
        ChainContext(
            requestID: "run \(run) \(resource.name)", logger: engine.environment.logger, isResendable: true)
    }

    var transport: any Transport {
        engine.transports.instrumented(for: resource.source, in: engine.environment)
    }

    /// Keeps the requests of one walk within the source's limits and ``SyncOptions/maxBytes``; nil without any.
    var budget: BudgetUse? {
        let limits = SourceRateLimits(
            resource.source, in: engine.rateLimitStore, wallClock: engine.environment.wallClock)
        let budget: (any RequestBudget)? = TrafficLimit(options.maxBytes, before: limits) ?? limits
        return budget.map { BudgetUse($0, maximumWait: RetryRules.rateLimitWait) }
    }

    var deletionTerms: DeletionTerms {
        DeletionTerms(
            rule: resource.deletions, isStable: resource.isStable, isAccepted: options.acceptsDeletes,
            largestPage: resource.pageSizes?.maximum)
    }
}
