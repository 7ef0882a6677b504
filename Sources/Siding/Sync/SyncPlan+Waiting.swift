internal import HTTPTypes
internal import SidingChain

extension SyncPlan {
    /// What keeps a sync from asking for the page now, or at once; nil where nothing does.
    ///
    /// - Parameter url: what it would ask for first.
    static func obstacle(
        _ resource: AnyResource, _ options: SyncOptions, at url: HTTPURL?, in store: Store?, _ now: Timestamp
    ) async throws(StoreError) -> Obstacle? {
        guard let store else { return nil }
        let asking = FreshnessCheck(resource: resource, options: options, now: now)
        if let why = asking.isPointless(try await store.freshness(of: resource.name)) { return .fresh(why: why) }
        if let gate = try await store.gates().closing(resource.source.name, at: now) {
            return .gate(gate)
        }
        guard let url else { return nil }
        return try await Self.spentLimit(of: resource.source, at: url, in: store, now)
    }

    /// The message for the limit that is exhausted longest; nil if all matching limits have quota left.
    private static func spentLimit(
        of source: Source, at url: HTTPURL, in store: Store, _ now: Timestamp
    ) async throws(StoreError) -> Obstacle? {
        let limits = source.limits(fitting: url).map { source.limits[$0] }
        guard !limits.isEmpty else { return nil }
        var last: (until: Timestamp, words: String)?
        for report in try await store.rateLimits() where report.source == source.name {
            // A count for another rate does not apply to this limit.
            guard let until = report.freeAt, let reason = report.exhaustion, until > last?.until ?? now,
                let limit = limits.first(where: { $0.match.description == report.match && $0.rate == report.rate })
            else { continue }
            last = (until, SourceRateLimits.message(limit, until, because: reason))
        }
        guard let last else { return nil }
        return .limit(last.words, isPutOff: last.until - now > BudgetUse.longestPatience)
    }

    /// The limits that count requests to `url`, for people.
    static func limits(of source: Source, at url: HTTPURL) -> [String] {
        source.limits(fitting: url).map { index in
            let limit = source.limits[index]
            let most = [
                limit.rate.map { "at most \($0)" }, limit.remaining.map { "what \($0.rawName) leaves" },
            ]
            return "\(most.compactMap(\.self).joined(separator: ", ")) for '\(limit.match)'"
        }
    }
}

extension SourceGate {
    /// Until when the gate is closed, and why.
    var words: String { "the next try is from \(until?.rfc3339 ?? "later") on, because \(note)" }
}
