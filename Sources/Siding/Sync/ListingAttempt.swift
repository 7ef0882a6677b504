internal import SidingChain
internal import SidingPaging

/// Walks one open listing to its end. Asks once for larger pages if the origin refuses smaller ones, and restarts it once from
/// its first page if necessary.
struct ListingAttempt {
    private(set) var sync: ResourceSync
    private(set) var opening: ListingOpening
    private(set) var position: ListingPosition
    /// The range of the walk.
    private(set) var start: CursorStart
    /// The range of a listing that starts anew.
    private let fresh: CursorStart
    /// The stored cursor; nil once a rule resets it.
    private(set) var known: StoredCursor?
    /// The entity tag and the length of what had arrived of the first page.
    let partial: (etag: String, count: Int)?

    private var resource: AnyResource { sync.resource }
    private var options: SyncOptions { sync.options }
    private var engine: SyncEngine { sync.engine }

    /// - Parameters:
    ///   - position: where the listing begins, or goes on.
    ///   - start: the range of a listing that starts anew.
    init(
        _ sync: ResourceSync, _ opening: ListingOpening, at position: ListingPosition, from start: CursorStart,
        known: StoredCursor?
    ) {
        (self.sync, self.opening, self.position, self.known) = (sync, opening, position, known)
        (self.start, fresh) = (start, start)
        partial = position.partial.map { ($0.etag, $0.bytes.count) }
    }

    /// - Parameter report: gets what earlier walks counted, why they were not the last, and a note on where the listing goes on.
    /// - Returns: the last walk; a failure if no page could be requested.
    mutating func walk(_ report: inout SyncReport) async throws(StoreError) -> Result<ListingRun.Walked, Failure> {
        do throws(Failure) { try resume(&report) } catch { return .failure(error) }
        var walked = try await walkPages()
        if let refusal = try await refuseSize(after: walked) {
            report.warn(refusal)
            report.result.counters += walked.counters
            walked = try await walkPages()
        }
        let rule = walked.misplacement == nil ? rule(endingBy: walked) : nil
        guard let reason = restartReason(walked, rule) else { return .success(walked) }
        start = fresh
        if rule != nil {
            do throws(Failure) { try forgetCursor() } catch { return .failure(error) }
        }
        position = try await engine.store.restartListing(opening, because: reason)
        report.warn("restarted: \(reason)")
        report.result.counters += walked.counters
        return .success(try await walkPages())
    }

    private mutating func walkPages() async throws(StoreError) -> ListingRun.Walked {
        let isConditional =
            resource.asksConditionally && !options.isFull && !options.isAdHoc && position.changedAspects.isEmpty
        let fetcher = PageFetcher(
            resource, isConditional: isConditional, transport: sync.transport, resuming: position.partial.take(),
            budget: sync.budget, in: engine.environment, context: sync.context)
        return try await ListingRun(
            sync: sync, fetcher: fetcher, start: start, stored: known?.value, first: opening.first
        )
        .walk(from: position)
    }

    /// Resumes a listing as it began, at its page or at the cursor; see ``IncrementalCursor/resumesAtCursor``.
    private mutating func resume(_ report: inout SyncReport) throws(Failure) {
        guard !options.isAdHoc else { return }
        let sized = sync.nextPageRule.sized(position.page)
        if sized != position.page { (position.page, position.resizedFrom) = (sized, position.page) }
        guard position.isResumed, position.page.number > 1 else { return start.resume(position.cursor) }
        guard start.resume(position.cursor, by: resource.cursor) else { return }
        report.add(note: "continues at the cursor instead of page \(position.page.number)")
        position.page = try sync.nextPageRule.first(from: start, for: sync.parent)
    }

    /// Goes back to a larger page size if the origin refused the smaller one.
    ///
    /// - Returns: what to tell; nil if it did not, or if there is no larger page to ask for.
    private mutating func refuseSize(after walked: ListingRun.Walked) async throws(StoreError) -> String? {
        guard case .failed(let failed) = walked.end, walked.isSizeRefused || failed.failure.isOfRequest else {
            return nil
        }
        return try await sync.refuseSize(of: failed.page, at: &position)
    }

    // MARK: Restart

    /// Lets the restarted listing begin as if there were no stored cursor.
    private mutating func forgetCursor() throws(Failure) {
        known = nil
        start = CursorStart(resource.cursor, stored: nil, SyncOptions(), now: engine.now)
        opening = try sync.opening(start)
        opening.forgetsCursor = true
    }

    /// Why the listing must start again from the first page, such as a checkpoint that the origin refuses; nil if not. It
    /// happens at most once.
    private func restartReason(_ result: ListingRun.Walked, _ rule: FailureRule?) -> String? {
        if let misplacement = result.misplacement { return misplacement }
        // A rule of the config takes precedence over the built-in one.
        if let rule {
            return rule.action == .resetCursor && !options.isAdHoc ? "\(rule.place) says reset_cursor" : nil
        }
        // After a 304 the next page came from the store, and may no longer exist.
        guard (result.hasPages && result.isNextFromStore) || (position.isResumed && !result.hasPages),
            case .failed(let page) = result.end, page.failure.isOfRequest, let status = page.failure.status,
            // The same request would have the same answer.
            result.hasPages || page.page.address != opening.first.address
        else { return nil }
        return "the origin refused page \(page.page.number) with \(status)"
    }

    /// The rule that applies to the failure that ended the walk.
    private func rule(endingBy result: ListingRun.Walked) -> FailureRule? {
        guard case .failed(let page) = result.end else { return nil }
        return resource.source.rule(for: page.failure, of: .fetch)
    }
}
