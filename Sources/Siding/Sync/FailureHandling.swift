internal import HTTPTypes
internal import SidingChain

/// Handles a failed page: retains it in the queue, gates the source, or fails the run.
struct FailureHandling: Sendable {
    let sync: ResourceSync
    let position: ListingPosition

    private var source: Source { sync.resource.source }
    private var store: Store { sync.engine.store }

    /// Records the outcome for the source; then retains, parks or releases the page, or fails the run.
    func handle(_ failed: PageFailure, _ report: ResourceSync.Report) async throws(StoreError) -> ResourceSync.Report {
        let failure = failed.failure
        // The outcome of one request counts for all requests to the source.
        try await store.record(source.outcome(of: failure, .fetch, now: now), of: source.name)
        switch source.retention(of: failure, .fetch, now: now) {
        case .keep(let isCounted, let attempts, let minimumWait):
            if let attempts, isCounted, triesSoFar + 1 >= attempts {
                return try await givenUp(failed, report, tries: attempts)
            }
            return try await keep(failure, failed.page, isCounted: isCounted, report) {
                waiting(failure, tries: $0, minimum: minimumWait)
            }
        case .signIn:
            return try await notRetained(failed, report, parks: .signIn)
        case .fail, .park:
            var ended = try await notRetained(failed, report, parks: .rejected)
            ended.isFailedByRule = source.rule(for: failure, of: .fetch) != nil
            return ended
        case .release:
            return try await released(failed, report)
        }
    }

    /// Retains the failed page in the queue. If the options forbid that, it only releases an entry that this sync claimed.
    func keep(
        _ failure: Failure, _ page: PageRequest, isCounted: Bool, _ report: ResourceSync.Report,
        wait: @escaping @Sendable (Int) -> Duration
    ) async throws(StoreError) -> ResourceSync.Report {
        let retains = sync.options.retains && !sync.options.isAdHoc
        guard retains || position.entry != nil else { return sync.failed(failure, report) }
        let kept = try await retain(failure, page, isCounted: isCounted, report, wait: wait)
        return retains ? kept : sync.failed(failure, kept)
    }

    /// Retains the page in the queue. The outcome is `queued`, not an error.
    private func retain(
        _ failure: Failure, _ page: PageRequest, isCounted: Bool, parks: ParkReason? = nil,
        _ report: ResourceSync.Report,
        wait: @escaping @Sendable (Int) -> Duration
    ) async throws(StoreError) -> ResourceSync.Report {
        var retention = FetchRetention(
            resource: sync.resource.name, source: source.name, lease: sync.lease, run: sync.run,
            method: sync.resource.method.rawValue, page: page, error: RecordedError(failure), isCounted: isCounted,
            parks: parks, expiry: source.expiry, wait: wait)
        retention.waitsForLine = parks == nil && failure.isOfLine
        retention.isTry = failure.isOfTry
        let (store, kept) = (store, retention)
        let entry = try await uncancelled { () throws(StoreError) in try await store.retain(kept) }
        var report = report
        report.line.outcome = .queued
        report.line.entry = entry.id
        report.line.error = RecordedError(failure)
        report.failure = failure
        return report
    }

    // MARK: Cases

    /// Nothing new is retained; an entry that was taken in hand goes back with what was learned.
    private func notRetained(
        _ failed: PageFailure, _ report: ResourceSync.Report, parks reason: ParkReason
    ) async throws(StoreError) -> ResourceSync.Report {
        guard position.entry != nil else { return sync.failed(failed.failure, report) }
        let kept = try await retain(failed.failure, failed.page, isCounted: true, parks: reason, report) { _ in .zero }
        return sync.failed(failed.failure, kept)
    }

    private func givenUp(
        _ failed: PageFailure, _ report: ResourceSync.Report, tries: Int
    ) async throws(StoreError) -> ResourceSync.Report {
        let kept = try await retain(failed.failure, failed.page, isCounted: true, parks: .rejected, report) { _ in .zero
        }
        var given = sync.failed(failed.failure, kept)
        given.warn("given up after \(tries) tries")
        return given
    }

    /// Releases a claimed entry after our own cancellation: page and checkpoint stay, and the attempt does not count.
    private func released(
        _ failed: PageFailure, _ report: ResourceSync.Report
    ) async throws(StoreError) -> ResourceSync.Report {
        guard position.entry != nil else { return sync.failed(failed.failure, report) }
        let kept = try await retain(failed.failure, failed.page, isCounted: false, report) { _ in .zero }
        return sync.failed(failed.failure, kept)
    }

    /// The counted attempts for this page so far: an entry that is still claimed is for this page.
    private var triesSoFar: Int { position.entry?.attempts ?? 0 }

    // MARK: Waiting

    private var now: Timestamp { sync.engine.now }

    private func waiting(_ failure: Failure, tries: Int, minimum: Duration?) -> Duration {
        guard !failure.isOfLine else { return SourceHealth.probeWindow }
        return max(
            failure.patience(now: now)
                ?? source.retry.backoff.wait(after: tries, jitter: sync.engine.environment.jitter),
            minimum ?? .zero)
    }
}

extension Failure {
    /// Whether the network was unreachable, so that its return ends the wait.
    fileprivate var isOfLine: Bool {
        switch reason {
        case .noInternetConnection, .captivePortal: true
        default: false
        }
    }
}
