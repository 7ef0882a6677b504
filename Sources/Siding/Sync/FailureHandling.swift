internal import HTTPTypes
public import SidingChain
internal import SidingJSON

/// Handles a failed page: records the outcome for the source, which may close its gate, and then keeps the page in the queue or
/// reports the resource as failed.
struct FailureHandling: Sendable {
    let sync: ResourceSync
    let position: ListingPosition

    private var source: Source { sync.resource.source }
    private var store: Store { sync.engine.store }

    /// Records the outcome for the source; then retains, parks or releases the page, or reports the resource as failed.
    func handle(_ failed: PageFailure, _ report: ResourceSync.Report) async throws(StoreError) -> ResourceSync.Report {
        let failure = failed.failure
        // The outcome of one request counts for all requests to the source.
        try await store.record(source.outcome(of: failure, .fetch, now: now), of: source.name)
        switch source.retention(of: failure, .fetch, now: now) {
        case .keep(let isCounted, let attempts, let minimumWait):
            if let attempts, isCounted, triesSoFar + 1 >= attempts {
                return try await giveUp(failed, report, tries: attempts)
            }
            return try await keep(failure, failed.page, isCounted: isCounted, report) {
                waiting(failure, tries: $0, minimum: minimumWait)
            }
        case .signIn:
            return try await failWithoutNewEntry(failed, report, parkReason: .signIn)
        case .fail, .park:
            var ended = try await failWithoutNewEntry(failed, report, parkReason: .rejected)
            ended.isFailedByRule = source.rule(for: failure, of: .fetch) != nil
            return ended
        case .release:
            return try await release(failed, report)
        }
    }

    /// Retains the failed page in the queue. If the options forbid that, only an entry that this sync already claimed goes back
    /// to the queue.
    func keep(
        _ failure: Failure, _ page: PageRequest, isCounted: Bool, _ report: ResourceSync.Report,
        wait: @escaping @Sendable (Int) -> Duration
    ) async throws(StoreError) -> ResourceSync.Report {
        let retains = sync.options.retains && !sync.options.isAdHoc
        guard retains || position.entry != nil else { return sync.failed(failure, report) }
        let kept = try await retain(failure, page, isCounted: isCounted, report, wait: wait)
        return retains ? kept : sync.failed(failure, kept)
    }

    /// Retains the page in the queue. Sets the outcome to `queued`; the caller may change it to `failed`.
    private func retain(
        _ failure: Failure, _ page: PageRequest, isCounted: Bool, parkReason: ParkReason? = nil,
        _ report: ResourceSync.Report,
        wait: @escaping @Sendable (Int) -> Duration
    ) async throws(StoreError) -> ResourceSync.Report {
        var retention = FetchRetention(
            resource: sync.resource.name, source: source.name, lease: sync.lease, run: sync.run,
            method: sync.resource.method.rawValue, page: page, error: RecordedError(failure), isCounted: isCounted,
            parks: parkReason, expiry: source.expiry, wait: wait)
        retention.waitsForNetwork = parkReason == nil && failure.isConnectionFailure
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

    /// Reports the failure without a new queue entry. An entry that this sync claimed goes back to the queue, parked, with the
    /// recorded error.
    private func failWithoutNewEntry(
        _ failed: PageFailure, _ report: ResourceSync.Report, parkReason reason: ParkReason
    ) async throws(StoreError) -> ResourceSync.Report {
        guard position.entry != nil else { return sync.failed(failed.failure, report) }
        let kept = try await retain(failed.failure, failed.page, isCounted: true, parkReason: reason, report) { _ in
            .zero
        }
        return sync.failed(failed.failure, kept)
    }

    private func giveUp(
        _ failed: PageFailure, _ report: ResourceSync.Report, tries: Int
    ) async throws(StoreError) -> ResourceSync.Report {
        let kept = try await retain(failed.failure, failed.page, isCounted: true, parkReason: .rejected, report) { _ in
            .zero
        }
        var ended = sync.failed(failed.failure, kept)
        ended.warn("given up after \(tries) tries")
        return ended
    }

    /// Releases a claimed entry after our own cancellation: page and checkpoint stay, and the attempt does not count.
    private func release(
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
        guard !failure.isOffline else { return SourceHealth.probeWindow }
        return max(
            failure.patience(now: now)
                ?? source.retry.backoff.wait(after: tries, jitter: sync.engine.environment.jitter),
            minimum ?? .zero)
    }
}

extension Failure {
    /// Whether the source needs a new sign-in: the origin refused the credential, or a rule of `errors:` treats the answer as a
    /// refusal (``FailureRule/Action/refreshToken``).
    public var asksForSignIn: Bool {
        if underlying is CredentialRefusal { return true }
        if (underlying as? RuledFailure)?.rule.action == .refreshToken { return true }
        if case .http(let answer) = reason { return answer.statusClass == .unauthorized }
        return false
    }

    /// What the user can do about it; nil if there is no advice.
    var hint: String? {
        if underlying is RefreshRefusal {
            return
                "'siding auth status' tells where its secrets are read: put a good one there. 'siding auth forget SOURCE' "
                + "drops the stored token, so that the next sync begins with what the config says"
        }
        if underlying is BudgetSpent {
            return
                "it goes on when the limit has room, to which 'siding queue retry' keeps too; 'limits' of the source says how "
                + "many requests go out"
        }
        // A rule may treat any status as a refused credential.
        if asksForSignIn { return "check the credentials of the source; the next 'siding sync' tries again" }
        return switch reason {
        case .noInternetConnection: "the next 'siding sync' or 'siding queue run' goes on here"
        case .captivePortal: "open a browser on this network and sign in"
        case .waitingForOrigin:
            "it goes on when the time has come; 'siding queue retry' asks before that, as far as the source's limits allow"
        case .hostNotFound: "check base_url for a misspelt name"
        case .tlsUntrusted: "check the machine's clock and its CA certificates; Siding never skips this check"
        case .credentialUnavailable: "check the secret's place and its permissions"
        case .contract:
            (underlying as? PageFault)?.hint
                ?? "look at the answer with curl; if the API changed, change 'records', 'key' or 'paginate'"
        case .tooLarge: "raise http.max_body of the source, or ask for smaller pages"
        case .http(let answer): answer.hint
        default: nil
        }
    }
}

extension PageFault {
    /// The setting that would accept such a page; nil if none would.
    fileprivate var hint: String? {
        switch self {
        case .tooDeep: "raise http.max_depth of the source, if the origin is to be trusted with that"
        case .tooManyValues: "raise http.max_values of the source, or ask for smaller pages"
        default: nil
        }
    }
}

extension HTTPFailure {
    fileprivate var hint: String? {
        switch statusClass {
        case .refused where status == 403: "the credentials are known but not allowed to read this"
        case .gone: "check 'path' and 'base_url'; nothing stored was removed"
        case .backOff: "the origin asks for patience; it goes on when the time has come"
        default: nil
        }
    }
}
