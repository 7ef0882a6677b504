// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// Handles a failed page: records the outcome for the source, which may close its gate, and then keeps the page in the queue or
/// reports the resource as failed.
struct FailureHandling: Sendable {
    let sync: ResourceSync
    let position: ListingPosition
    /// What arrived of the page; nil if it cannot be resumed.
    var partial: PartialAnswer?

    private var source: Source { sync.resource.source }
    private var store: Store { sync.engine.store }

    /// Records the outcome for the source; then retains, parks or releases the page, or reports the resource as failed.
    func handle(_ failed: PageFailure, _ report: SyncReport) async throws(StoreError) -> SyncReport {
        let failure = failed.failure
        // The outcome of one request counts for all requests to the source.
        let health = try await store.record(source.outcome(of: failure, .fetch, now: now), of: source.name)
        switch source.retention(of: failure, .fetch, now: now) {
        case .keep(let isCounted, let attempts, let minimumWait):
            guard let attempts, isCounted, triesSoFar(of: failed.page) + 1 >= attempts else {
                // Only what was tried has failed.
                let gateWait = failure.isOfTry ? health.waitAfterFailures(now: now) : .zero
                return try await keep(
                    failure, failed.page, isCounted: isCounted, report,
                    gateWait: min(gateWait, source.retry.backoff.cap)
                ) { waiting(failure, tries: $0, isCounted: isCounted, minimum: minimumWait) }
            }
            var ended = try await retain(failure, failed.page, parkReason: .rejected, report).failed(failure)
            ended.warn("given up after \(attempts) tries")
            return ended
        case .signIn:
            return try await fail(failed, report, parkReason: .signIn)
        case .fail where failure.reason == .credentialUnavailable:
            // Nothing was asked: another process, which has the secret, goes on with the page.
            return try await fail(failed, report, parkReason: nil)
        case .fail, .park:
            var ended = try await fail(failed, report, parkReason: .rejected)
            ended.isFailedByRule = source.rule(for: failure, of: .fetch) != nil
            return ended
        case .release:
            // Our own cancellation: page and checkpoint stay, and the attempt does not count.
            return try await fail(failed, report, parkReason: nil)
        }
    }

    /// Retains the failed page in the queue. If the options forbid that, only an entry that this sync already claimed goes back
    /// to the queue.
    ///
    /// - Parameter gateWait: the least wait, while failures keep the gate closed. With many resources an origin in an outage would
    ///   get as many requests as they have waits.
    func keep(
        _ failure: Failure, _ page: PageRequest, isCounted: Bool, _ report: SyncReport, gateWait: Duration = .zero,
        wait: @escaping @Sendable (Int) -> Duration
    ) async throws(StoreError) -> SyncReport {
        let retains = sync.options.retains && !sync.options.isAdHoc
        guard retains || position.entry != nil else { return report.failed(failure) }
        let kept = try await retain(
            failure, page, isCounted: isCounted, report, gateWait: gateWait, wait: wait)
        return retains ? kept : kept.failed(failure)
    }

    /// Reports the failure without a new queue entry. An entry that this sync claimed goes back to the queue with the recorded
    /// error, parked if there is a reason.
    private func fail(
        _ failed: PageFailure, _ report: SyncReport, parkReason: ParkReason?
    ) async throws(StoreError) -> SyncReport {
        guard position.entry != nil else { return report.failed(failed.failure) }
        return try await retain(
            failed.failure, failed.page, isCounted: parkReason != nil, parkReason: parkReason, report
        ).failed(failed.failure)
    }

    /// Retains the page in the queue. Sets the outcome to `queued`; the caller may change it to `failed`.
    private func retain(
        _ failure: Failure, _ page: PageRequest, isCounted: Bool = true, parkReason: ParkReason? = nil,
        _ report: SyncReport, gateWait: Duration = .zero,
        wait: @escaping @Sendable (Int) -> Duration = { _ in .zero }
    ) async throws(StoreError) -> SyncReport {
        let retention = FetchRetention(
            resource: sync.resource.name, source: source.name, lease: sync.lease, method: sync.resource.method.rawValue,
            page: page, error: RecordedError(failure), partial: partial, isCounted: isCounted, parks: parkReason,
            expiry: source.expiry,
            waitsForNetwork: parkReason == nil && failure.isConnectionFailure, gateWait: gateWait,
            isTry: failure.isOfTry, wait: wait)
        let store = store
        let entry = try await uncancelled { () throws(StoreError) in try await store.retain(retention) }
        var report = report.failed(failure)
        (report.result.outcome, report.result.entry, report.tries) = (.queued, entry.id, entry.attempts)
        return report
    }

    /// The counted attempts for this page so far: an entry that is still claimed is for it, or for a larger one.
    private func triesSoFar(of page: PageRequest) -> Int {
        position.entry.map { $0.url == page.url.description ? $0.attempts : 0 } ?? 0
    }

    // MARK: Waiting

    private var now: Timestamp { sync.engine.now }

    private func waiting(_ failure: Failure, tries: Int, isCounted: Bool, minimum: Duration?) -> Duration {
        guard !failure.isOffline else { return RetryRules.probeWindow }
        // Where a part has arrived, the line was up.
        let attempts = partial == nil ? tries : 1
        let wait = source.wait(
            after: failure, attempts: attempts, isCounted: isCounted, jitter: sync.engine.environment.jitter, now: now)
        return max(wait, minimum ?? .zero)
    }
}
