// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// The stored state of one rate limit, and the decisions based on it. ``RateLimitsTable`` loads and saves it.
///
/// A window has 60 buckets, and all buckets that overlap the last window count: at most 61. A request in flight counts until
/// its deadline, the latest time at which the origin may count it; its answer moves it to the bucket of that time. So each
/// request counts here for a whole window after the origin counted it.
struct RateLimitState: Sendable {
    static let bucketsPerWindow: Int64 = 60
    /// How long callers wait for requests in flight before they check again.
    static let pause = Duration.milliseconds(50)
    /// Reset times given as whole seconds from now vary this much between answers.
    private static let resetTolerance = Duration.seconds(2)
    /// If the newest reservation is further ahead than this, the clock was set back.
    private static let clockTolerance = Duration.seconds(1)

    let id: Int64
    let source: String
    let match: String
    /// Nil if only the origin limits the rate.
    var rate: RequestRate?
    /// The newest reservation. A reservation is identified by its time, which always increases.
    var reservedAt: Timestamp
    /// The reported remaining quota, until ``resetAt``.
    var remaining: Int?
    var resetAt: Timestamp?
    /// A report replaces ``remaining`` if its request was reserved after this; an earlier request can only lower it.
    var acceptAfter: Timestamp
    /// Requests that ended without a report since the last accepted one.
    var unknownOutcomes: Int
    /// Completed requests, or bytes, by the start of their bucket; empty without a rate.
    var ended: [Timestamp: Int] = [:]
    /// Requests in flight by their deadlines.
    var underWay: [Timestamp: Int] = [:]

    func isOf(_ limit: RateLimit) -> Bool {
        match == limit.match.description && rate?.window ?? .zero == limit.window
            && rate?.unit ?? .requests == limit.unit
    }

    // MARK: Time

    /// Drops buckets that have left the window. Requests past their deadlines without an answer become unknown outcomes.
    mutating func advance(to now: Timestamp) {
        if isAhead(of: now) { followClockBack(to: now) }
        for (deadline, requests) in underWay where deadline <= now {
            underWay[deadline] = nil
            count(requests, at: deadline)
            addUnknownOutcomes(requests)
        }
        ended = ended.filter { end(ofBucket: $0.key) > now }
    }

    /// Whether the clock was set back since the newest reservation.
    func isAhead(of now: Timestamp) -> Bool { reservedAt > now + Self.clockTolerance }

    /// Shifts all times after the clock was set back. Otherwise a clock that was a day ahead would exhaust the limit for a
    /// day.
    private mutating func followClockBack(to now: Timestamp) {
        let back = now - reservedAt
        underWay = Dictionary(uniqueKeysWithValues: underWay.map { ($0.key + back, $0.value) })
        let counts = ended
        ended = [:]
        for (start, requests) in counts { count(requests, at: start + back + width) }
        (reservedAt, acceptAfter) = (now, now)
    }

    private var width: Duration {
        let window = (rate?.window ?? .zero).wholeMicroseconds
        return .microseconds((window + Self.bucketsPerWindow - 1) / Self.bucketsPerWindow)
    }

    private func end(ofBucket start: Timestamp) -> Timestamp {
        start + .microseconds(width.wholeMicroseconds * (Self.bucketsPerWindow + 1))
    }

    private func bucket(of moment: Timestamp) -> Timestamp {
        Timestamp(microseconds: moment.microseconds - moment.microseconds % max(width.wholeMicroseconds, 1))
    }

    private mutating func count(_ requests: Int, at moment: Timestamp) {
        guard rate != nil else { return }
        ended[bucket(of: moment), default: 0] += requests
    }

    /// Rounded up to a 60th of `timeout`, so that no more than 61 deadlines are stored.
    private static func deadline(of reservation: Timestamp, _ timeout: Duration) -> Timestamp {
        let grain = max(timeout.wholeMicroseconds / bucketsPerWindow, 1)
        let rest = (reservation + timeout).microseconds % grain
        return reservation + timeout + .microseconds(rest == 0 ? 0 : grain - rest)
    }

    // MARK: Requests

    /// Counts a request that may go out at once and must be over after `timeout`; ``reservedAt`` is its reservation. Bytes count
    /// only once they have passed.
    mutating func reserve(timeout: Duration, _ now: Timestamp) {
        reservedAt = max(now, reservedAt + .microseconds(1))
        guard rate?.unit != .bytes else { return }
        underWay[Self.deadline(of: reservedAt, timeout), default: 0] += 1
    }

    /// Records the outcome of a reserved request, at most once per request, or the bytes of an attempt.
    mutating func record(_ usage: RequestUsage, _ now: Timestamp) {
        if case .bytes(let amount) = usage.outcome { return count(amount, at: now) }
        let wasUnderWay = remove(usage.reservation, usage.timeout, now)
        guard case .answered(let reported) = usage.outcome else { return }
        // The origin has counted it by now. This holds even if its bucket has left the window because the process was
        // suspended.
        count(1, at: now)
        if let reported {
            accept(reported, of: usage.reservation, isNewest: wasUnderWay && usage.reservation > acceptAfter, now)
        } else if wasUnderWay, usage.limit.remaining != nil {
            addUnknownOutcomes(1)
        }
    }

    /// - Returns: whether it was in flight; after its deadline it already counts as an unknown outcome.
    private mutating func remove(_ reservation: Timestamp, _ timeout: Duration, _ now: Timestamp) -> Bool {
        let deadline = Self.deadline(of: reservation, timeout)
        if let requests = underWay[deadline] {
            underWay[deadline] = requests > 1 ? requests - 1 : nil
            return true
        }
        let bucket = bucket(of: deadline)
        if deadline <= now, let requests = ended[bucket] { ended[bucket] = requests > 1 ? requests - 1 : nil }
        return false
    }

    // MARK: The reported quota

    private mutating func addUnknownOutcomes(_ requests: Int) {
        unknownOutcomes += requests
        acceptAfter = reservedAt
    }

    /// Accepts a reported remaining quota if its request started after the last accepted report, or if its reset time proves
    /// a new window. Otherwise keeps the minimum, as answers overtake each other.
    private mutating func accept(
        _ reported: ReportedQuota, of reservation: Timestamp, isNewest: Bool, _ now: Timestamp
    ) {
        guard reported.resetAt > now else { return }
        // "60 s from now" was true when the answer was sent, perhaps long ago.
        let tolerance = Self.resetTolerance + max(now - reservation, .zero)
        if !isNewest, let known = quota(now), reported.resetAt <= known.resetAt + tolerance {
            guard reported.remaining < known.remaining else { return }
            remaining = reported.remaining
            // The zero may belong to an earlier window, and must not exhaust the present one.
            if reported.remaining == 0 { resetAt = reported.resetAt }
        } else {
            (remaining, resetAt) = (reported.remaining, reported.resetAt)
            if isNewest { unknownOutcomes = 0 }
        }
        acceptAfter = reservedAt
    }

    /// The last accepted report; nil if none is valid now. A reset time beyond the longest allowed one was reported before the
    /// clock was set back.
    private func quota(_ now: Timestamp) -> ReportedQuota? {
        guard let remaining, let resetAt, resetAt > now, resetAt <= now + RetryRules.longestWait else { return nil }
        return ReportedQuota(remaining: remaining, resetAt: resetAt)
    }

    /// The smallest possible remaining quota: requests in flight and unknown outcomes may have used some of it.
    func remainingQuota(_ now: Timestamp) -> ReportedQuota? {
        quota(now).map {
            ReportedQuota(
                remaining: max($0.remaining - underWay.values.reduce(unknownOutcomes, +), 0), resetAt: $0.resetAt)
        }
    }

    // MARK: Room

    var used: Int { ended.values.reduce(0, +) + underWay.values.reduce(0, +) }

    /// Until when no request may be sent, and why; nil if the limit has room.
    func exhaustion(_ now: Timestamp) -> (until: Timestamp, reason: RateLimitExhaustion)? {
        let ofQuota = exhaustionOfQuota(now)
        guard let rate, used >= rate.count else { return ofQuota }
        var surplus = used - rate.count
        // A request in flight may be answered at any time, and then counts for another window.
        var until = end(ofBucket: bucket(of: now))
        for (start, requests) in ended.sorted(by: { $0.key < $1.key }) where surplus >= 0 {
            surplus -= requests
            if surplus < 0 { until = end(ofBucket: start) }
        }
        if let ofQuota, ofQuota.until > until { return ofQuota }
        return (until, .rate)
    }

    private func exhaustionOfQuota(_ now: Timestamp) -> (until: Timestamp, reason: RateLimitExhaustion)? {
        guard let left = remainingQuota(now), left.remaining == 0 else { return nil }
        if remaining == 0 { return (left.resetAt, .reported) }
        return underWay.isEmpty ? (left.resetAt, .unknownOutcomes) : (now + Self.pause, .underWay)
    }
}
