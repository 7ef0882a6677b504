// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

extension SyncPlan {
    /// Why a sync would send no request now, or only after a wait.
    package enum Obstacle: Sendable, Hashable {
        /// The stored records are fresh enough.
        case fresh(why: String)
        /// The gate of the source is closed.
        case gate(SourceGate)
        /// A rate limit is used up; `isPutOff`: for longer than a sync waits.
        case limit(String, isPutOff: Bool)
        /// A changed config would remove too many records.
        case configChange(why: String)
        /// The page waits in the queue for an operator action.
        case heldPage
        /// The resource belongs to another shard.
        case otherShard(why: String)
        /// No parent can be listed.
        case parents(why: String)

        /// Whether a sync would send no request now.
        package var asksNothing: Bool {
            switch self {
            case .fresh, .gate, .configChange, .heldPage, .parents, .otherShard: true
            case .limit(_, let isPutOff): isPutOff
            }
        }

        /// The reason of a plan with this obstacle.
        ///
        /// - Parameter reason: why the sync would send the request without the obstacle.
        func explained(_ reason: String) -> String {
            switch self {
            case .fresh(let why), .configChange(let why): "nothing now: \(why); then: \(reason)"
            case .gate(let gate): "nothing now: \(gate.message); then: \(reason)"
            case .limit(let message, let isPutOff):
                "\(isPutOff ? "nothing now: " : "after a wait, as ")\(message); then: \(reason)"
            case .heldPage: "nothing now: \(reason)"
            case .otherShard(let why): "nothing: \(why)"
            case .parents(let why): "nothing now: \(why): \(reason)"
            }
        }
    }

    /// Whether a sync would ask for nothing now; ``reason`` says why, and what it would ask for later, where that is known.
    package var asksNothing: Bool { obstacle?.asksNothing ?? false }

    /// Whether a later sync may send the request.
    package var asksLater: Bool {
        if case .otherShard? = obstacle { false } else { fanOut?.urls.isEmpty != true }
    }
}

extension SyncPlan {
    /// What keeps a sync from asking for the page now, or at once; nil where nothing does.
    ///
    /// - Parameter url: what it would ask for first.
    static func obstacle(
        _ resource: AnyResource, _ open: OpenResource, _ options: SyncOptions, at url: HTTPURL?, in store: Store?,
        _ now: Timestamp
    ) async throws(StoreError) -> Obstacle? {
        let check = FreshnessCheck(resource: resource, options: options, now: now)
        if let why = check.skipReason(open.freshness) { return .fresh(why: why) }
        if let gate = open.gates.closing(resource.source.name, at: now) { return .gate(gate) }
        guard let url, let store else { return nil }
        return try await Self.spentLimit(of: resource.source, at: url, in: store, now)
    }

    /// The message for the limit that is exhausted longest; nil if all matching limits have quota left.
    private static func spentLimit(
        of source: Source, at url: HTTPURL, in store: Store, _ now: Timestamp
    ) async throws(StoreError) -> Obstacle? {
        let limits = source.limits(fitting: url).map { source.limits[$0] }
        guard !limits.isEmpty else { return nil }
        var last: (until: Timestamp, message: String)?
        for report in try await store.rateLimits() where report.source == source.name {
            // A count for another rate does not apply to this limit.
            guard let until = report.freeAt, let reason = report.exhaustion, until > last?.until ?? now,
                let limit = limits.first(where: { $0.match.description == report.match && $0.rate == report.rate })
            else { continue }
            last = (until, SourceRateLimits.message(limit, until, because: reason))
        }
        guard let last else { return nil }
        return .limit(last.message, isPutOff: last.until - now > RetryRules.rateLimitWait)
    }

    /// The limits that count requests to `url`, for people.
    static func limits(of source: Source, at url: HTTPURL) -> [String] {
        source.limits(fitting: url).map { index in
            let limit = source.limits[index]
            let most = [
                limit.rate.map { "at most \($0)" }, limit.remaining.map { "the quota in \($0.rawName)" },
            ]
            return "\(most.compactMap(\.self).joined(separator: ", ")) for '\(limit.match)'"
        }
    }
}

extension SourceGate {
    /// Until when the gate is closed, and why.
    var message: String { "the next try is from \(until?.rfc3339 ?? "later") on, because \(note)" }
}
