internal import SidingChain

/// What the store knows of one rate limit, and the decisions that follow from it; ``RateLimitsTable`` loads and saves it.
///
/// A window is cut into 60 buckets, and all buckets that overlap the last window count: at most 61. A request under way counts
/// until its deadline, the latest moment at which the origin may count it; its answer moves it to the bucket of that moment.
/// So whenever the origin counts a request, it counts here for a whole window after that.
struct RateLimitState: Sendable {
    static let bucketsPerWindow: Int64 = 60
    /// How long callers wait for the answers of requests under way before they look again.
    static let pause = Duration.milliseconds(50)
    /// Reset times in whole seconds from now differ by that much from answer to answer.
    private static let resetTolerance = Duration.seconds(2)
    /// A newest reservation further ahead than this shows that the clock was set back.
    private static let clockTolerance = Duration.seconds(1)

    let id: Int64
    let source: String
    let match: String
    /// Nil where only the origin counts.
    var rate: RequestRate?
    /// The newest reservation. Reservations are known by their moments, which only ascend.
    var reservedAt: Timestamp
    /// The reported remaining quota, until ``resetAt``.
    var remaining: Int?
    var resetAt: Timestamp?
    /// A report replaces ``remaining`` if its request was reserved after this; an earlier request can only lower it.
    var acceptAfter: Timestamp
    /// Requests since the last accepted report that ended without one.
    var unknownOutcomes: Int
    /// Requests that ended, by the start of their bucket; none without a rate.
    var ended: [Timestamp: Int] = [:]
    /// Requests under way, by their deadlines.
    var underWay: [Timestamp: Int] = [:]

    func isOf(_ limit: RateLimit) -> Bool {
        match == limit.match.description && rate?.window ?? .zero == limit.window
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

    /// Otherwise a clock that was a day ahead would exhaust the limit for a day.
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

    /// Counts a request that may go out at once and must be over after `timeout`; ``reservedAt`` is its reservation.
    mutating func reserve(timeout: Duration, _ now: Timestamp) {
        reservedAt = max(now, reservedAt + .microseconds(1))
        underWay[Self.deadline(of: reservedAt, timeout), default: 0] += 1
    }

    /// Records how the request of `usage` ended; at most once per request.
    mutating func record(_ usage: RequestUsage, _ now: Timestamp) {
        let wasUnderWay = remove(usage.reservation, usage.timeout, now)
        guard case .answered(let reported) = usage.outcome else { return }
        // The origin has counted it by now. This holds also where its count had left the window, as the process stood still.
        count(1, at: now)
        if let reported {
            accept(reported, of: usage.reservation, isNewest: wasUnderWay && usage.reservation > acceptAfter, now)
        } else if wasUnderWay, usage.limit.remaining != nil {
            addUnknownOutcomes(1)
        }
    }

    /// - Returns: whether the request was under way; after its deadline it is an unknown outcome already.
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
        // "60 s from now" was said when the answer was sent, perhaps long ago.
        let doubt = Self.resetTolerance + max(now - reservation, .zero)
        if !isNewest, let known = quota(now), reported.resetAt <= known.resetAt + doubt {
            guard reported.remaining < known.remaining else { return }
            remaining = reported.remaining
            // Perhaps nothing was left of an earlier window, which must not exhaust this one.
            if reported.remaining == 0 { resetAt = reported.resetAt }
        } else {
            (remaining, resetAt) = (reported.remaining, reported.resetAt)
            if isNewest { unknownOutcomes = 0 }
        }
        acceptAfter = reservedAt
    }

    /// Nil where the origin reported nothing that still holds. What is further ahead than any reset time is believed was
    /// reported before the clock was set back.
    private func quota(_ now: Timestamp) -> ReportedQuota? {
        guard let remaining, let resetAt, resetAt > now, resetAt <= now + RetryAfter.longest else { return nil }
        return ReportedQuota(remaining: remaining, resetAt: resetAt)
    }

    /// The least that the origin has left: the requests under way and the unknown outcomes may have been counted since.
    func remainingQuota(_ now: Timestamp) -> ReportedQuota? {
        quota(now).map {
            ReportedQuota(
                remaining: max($0.remaining - underWay.values.reduce(unknownOutcomes, +), 0), resetAt: $0.resetAt)
        }
    }

    // MARK: Room

    /// How many requests count right now.
    var used: Int { ended.values.reduce(0, +) + underWay.values.reduce(0, +) }

    /// Until when nothing may go out, and why; nil where something may.
    func exhaustion(_ now: Timestamp) -> (until: Timestamp, reason: RateLimitExhaustion)? {
        let ofQuota = exhaustionOfQuota(now)
        guard let rate, used >= rate.count else { return ofQuota }
        var surplus = used - rate.count
        // A request under way may be answered at any moment, and then counts for a window more.
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
