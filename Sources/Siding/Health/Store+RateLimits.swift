// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Reserves a request under each of `limits`, the ones that match it, or under none. It must end within `timeout`.
    func reserve(
        under limits: [RateLimit], of source: String, timeout: Duration
    ) async throws(StoreError) -> ReservationAnswer {
        let clock = clock
        // Waiting callers check again and again, so they read first and take no writer lock.
        let seen: ReservationAnswer? = try await read { snapshot in
            let (stored, now) = (try RateLimitsTable.load(of: source, snapshot), clock.now)
            if stored.contains(where: { $0.isAhead(of: now) }) { return nil }
            return Self.exhaustion(of: limits, stored, now)
        }
        if let seen { return seen }
        return try await write { transaction in
            // The time under the lock, not before the wait for it: the request is sent after it.
            let now = clock.now
            for limit in limits { try RateLimitsTable.upsert(limit, of: source, transaction) }
            let stored = try RateLimitsTable.load(of: source, transaction)
            let exhausted = Self.exhaustion(of: limits, stored, now)
            let reservations = try limits.map { limit in
                guard let stored = stored.first(where: { $0.isOf(limit) }) else {
                    throw StoreError(.corrupt, "the rate limit '\(limit.match)' could not be stored")
                }
                var state = stored
                state.advance(to: now)
                if exhausted == nil { state.reserve(timeout: timeout, now) }
                try RateLimitsTable.update(state, transaction)
                return state.reservedAt
            }
            return exhausted ?? .reserved(reservations)
        }
    }

    /// The exhausted limit that frees up last; nil if all have room.
    private static func exhaustion(
        of limits: [RateLimit], _ stored: [RateLimitState], _ now: Timestamp
    ) -> ReservationAnswer? {
        var last: (limit: RateLimit, until: Timestamp, reason: RateLimitExhaustion)?
        for limit in limits {
            guard var state = stored.first(where: { $0.isOf(limit) }) else { continue }
            state.rate = limit.rate
            state.advance(to: now)
            guard let (until, reason) = state.exhaustion(now), until > last?.until ?? now else { continue }
            last = (limit, until, reason)
        }
        return last.map { .exhausted(limit: $0.limit, until: $0.until, because: $0.reason) }
    }

    /// Records the outcomes of reserved requests. An unrecorded request counts for its timeout plus a window.
    func record(_ usages: [RequestUsage]) async throws(StoreError) {
        let clock = clock
        try await write { transaction in
            let now = clock.now
            for usage in usages {
                let stored = try RateLimitsTable.load(of: usage.source, transaction)
                guard let stored = stored.first(where: { $0.isOf(usage.limit) }) else { continue }
                var state = stored
                state.advance(to: now)
                state.record(usage, now)
                try RateLimitsTable.update(state, transaction)
            }
        }
    }

    /// The limits that are in use or exhausted, or of which the origin has reported what is left.
    package func rateLimits() async throws(StoreError) -> [RateLimitReport] {
        let now = clock.now
        return try await read { snapshot in
            try RateLimitsTable.load(snapshot).compactMap { stored in
                var state = stored
                state.advance(to: now)
                let (quota, exhaustion) = (state.remainingQuota(now), state.exhaustion(now))
                guard state.used > 0 || exhaustion != nil || quota != nil else { return nil }
                return RateLimitReport(
                    source: state.source, match: state.match, rate: state.rate, used: state.used,
                    remaining: quota?.remaining, resetAt: quota?.resetAt,
                    freeAt: exhaustion.flatMap { $0.reason == .underWay ? nil : $0.until },
                    exhaustion: exhaustion?.reason)
            }
        }
    }
}
