// SPDX-License-Identifier: Apache-2.0
/// How the wait grows between attempts: each ceiling is twice the one before, from `base` to `cap`, and the wait is random up to
/// its ceiling.
public struct Backoff: Sendable, Hashable {
    /// The ceiling of the wait after the first failed attempt.
    public var base: Duration
    /// The longest wait, however many attempts have failed. As long as ``base``, it keeps the wait from growing.
    public var cap: Duration

    /// Doubling is the common choice: from two seconds it reaches an hour in twelve steps, so a short fault is retried soon, and
    /// an origin that is down for a day gets few requests.
    private static let factor = 2

    /// By default from two seconds to an hour.
    public init(base: Duration = .seconds(2), cap: Duration = .seconds(3600)) {
        (self.base, self.cap) = (base, cap)
    }

    /// The wait after `attempt` failed attempts. The jitter is always full, so that clients that failed together do not return
    /// together.
    package func wait(after attempt: Int, jitter: Jitter) -> Duration {
        jitter.spread(ceiling(after: attempt))
    }

    /// The longest wait after `attempt` failed attempts.
    package func ceiling(after attempt: Int) -> Duration {
        var ceiling = base
        var steps = attempt
        // Zero does not grow, so it needs no loop.
        while steps > 1, ceiling > .zero, ceiling < cap {
            ceiling = ceiling * Self.factor
            steps -= 1
        }
        return min(ceiling, cap)
    }
}

/// When a failed call is retried inline, within the same run.
public struct RetryPolicy: Sendable, Hashable {
    /// The longest `Retry-After` that is waited for inline.
    package static let longestInlineWait = Duration.seconds(5)

    /// The maximum number of retries; 0 turns inline retries off.
    public var retries: Int
    /// The waits between the attempts, each at most 5 seconds.
    public var backoff: Backoff

    /// By default two retries, thus three attempts.
    public init(retries: Int = 2, backoff: Backoff = Backoff()) {
        self.retries = retries
        self.backoff = backoff
    }

    /// The wait before the next inline retry, or nil if the failure is left to the queue.
    ///
    /// Only 502, 503, 504, lost connections, and a `Retry-After` of up to 5 s are retried inline. Being offline, a refused
    /// connection and DNS failures are not, since they do not change within seconds. A `Retry-After` below the backoff counts
    /// as none: an origin that answers "now" to everybody would otherwise get all retries at once.
    package func wait(
        after attempt: Int, _ failure: Failure, isResendable: Bool, jitter: Jitter, now: Double
    ) -> Duration? {
        guard attempt <= retries, isResendable || failure.phase == .notSent else { return nil }
        switch failure.reason {
        case .http(let answer):
            let asked = answer.retryAfter(now: now) ?? .zero
            guard asked <= Self.longestInlineWait else { return nil }
            if answer.retryAfter(now: now) != nil, asked >= inlineCeiling(attempt) { return asked }
            return [502, 503, 504].contains(answer.status) ? max(asked, inlineWait(attempt, jitter)) : nil
        case .connectionLost, .notProcessed, .truncated:
            return inlineWait(attempt, jitter)
        default:
            return nil
        }
    }

    /// The backoff of the calls that follow one that ended with `failure`. If the call was retried inline, its waits were the
    /// first ones, and the backoff goes on from there.
    package func backoff(after failure: Failure, isResendable: Bool, now: Double) -> Backoff {
        let isRetried = wait(after: retries, failure, isResendable: isResendable, jitter: .none, now: now) != nil
        return Backoff(base: backoff.ceiling(after: isRetried ? retries + 1 : 1), cap: backoff.cap)
    }

    private func inlineWait(_ attempt: Int, _ jitter: Jitter) -> Duration {
        min(backoff.wait(after: attempt, jitter: jitter), Self.longestInlineWait)
    }

    private func inlineCeiling(_ attempt: Int) -> Duration {
        min(backoff.ceiling(after: attempt), Self.longestInlineWait)
    }
}

/// The source of randomness for waits; injectable so that tests can fix it.
public struct Jitter: Sendable {
    private let fraction: @Sendable () -> Double

    /// - Parameter fraction: returns numbers from 0 up to, but not including, 1.
    public init(_ fraction: @escaping @Sendable () -> Double) {
        self.fraction = fraction
    }

    /// The system's random numbers.
    public static let random = Jitter { Double.random(in: 0..<1) }

    /// No jitter: always the full wait.
    public static let none = Jitter { 1 }

    /// "Full jitter": a random wait from zero to `ceiling`, so that clients that failed together do not return together.
    package func spread(_ ceiling: Duration) -> Duration { ceiling * fraction() }

    /// A whole number from 0 up to, but not including, `count`.
    package func number(below count: Int) -> Int { min(Int(fraction() * Double(count)), count - 1) }
}
