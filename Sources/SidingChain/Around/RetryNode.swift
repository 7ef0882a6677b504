// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging

/// Retries a node within the same call, with backoff and jitter, for requests that may be sent twice: because of their method
/// (RFC 9110 §9.2.2), or because ``ChainContext/isResendable`` is true.
///
/// A request's own ``ChainRequest/retries`` replace the number of the policy.
///
/// The thrown failure is that of the last attempt; but if an earlier attempt may have reached the origin, its phase is at least
/// ``Failure/Phase/maybeSent``. If the call is cancelled while it waits, it fails with ``Failure/Reason/cancelled`` in the
/// phase so far.
public struct RetryNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let policy: RetryPolicy
    private let jitter: Jitter
    private let clock: any Clock<Duration>
    private let wallClock: WallClock
    private let limit: InlineRetryLimit?

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - policy: which failures are tried again, how often, and after which waits.
    ///   - jitter: spreads the waits.
    ///   - clock: measures the waits.
    ///   - wallClock: compares a date in `Retry-After` with the present time; the system's by default.
    public init(
        _ wrapped: Wrapped, policy: RetryPolicy, jitter: Jitter = .random,
        clock: any Clock<Duration> = ContinuousClock(),
        wallClock: WallClock = .system
    ) {
        self.init(wrapped, policy: policy, within: nil, jitter: jitter, clock: clock, wallClock: wallClock)
    }

    /// - Parameter limit: shared by all calls to an origin; nil if each call decides for itself.
    package init(
        _ wrapped: Wrapped, policy: RetryPolicy, within limit: InlineRetryLimit?, jitter: Jitter,
        clock: any Clock<Duration>, wallClock: WallClock
    ) {
        self.wrapped = wrapped
        self.policy = policy
        self.jitter = jitter
        self.clock = clock
        self.wallClock = wallClock
        self.limit = limit
    }

    /// Without retries it is not listed: then it acts only for a request that asks for retries itself.
    public var steps: [String] {
        policy.retries > 0 ? ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] : wrapped.steps
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        var attempt = 1
        var mayBeSent = false
        while true {
            do {
                let output = try await wrapped.process(input, context)
                limit?.succeeded()
                return output
            } catch {
                mayBeSent = mayBeSent || error.phase != .notSent
                // An earlier attempt may have reached the origin, whatever the outcome of this one.
                let error = mayBeSent ? error.leastMaybeSent : error
                attempt = try await self.next(
                    after: attempt, error, policy(for: input), isResendable(input, context), context)
            }
        }
    }

    /// Waits for the next attempt, and returns its number.
    ///
    /// Where no retry is left for the calls to the origin, this one waits on: a retry of another call that succeeds frees them.
    private func next(
        after attempt: Int, _ failure: Failure, _ policy: RetryPolicy, _ isResendable: Bool, _ context: ChainContext
    ) async throws(Failure) -> Int {
        var attempt = attempt
        while true {
            guard let wait = wait(after: attempt, failure, by: policy, isResendable) else { throw failure }
            context.log(
                .info, "request will be tried again", node: name,
                ["attempt": "\(attempt)", "failure": "\(failure.reason.name)", "wait": "\(wait)"])
            attempt += 1
            do { try await clock.sleep(for: wait) } catch _ { throw cancelled(after: failure) }
            // A backoff after a lost connection is no wait for the origin.
            if failure.status != nil { TrafficMeter.current?.add(wait: wait) }
            if isAsked(wait, failure) || limit?.take() ?? true { return attempt }
        }
    }

    /// Keeps the phase: an attempt may have reached the origin, and cancelling does not undo that.
    private func cancelled(after failure: Failure) -> Failure {
        Failure(
            .cancelled, phase: failure.phase, detail: "while it waited for its next try after \(failure.reason.name)"
        ).at(node: name, method: failure.method, url: failure.url)
    }

    /// Whether the origin itself asked to be tried again after this wait.
    private func isAsked(_ wait: Duration, _ failure: Failure) -> Bool {
        guard case .http(let answer) = failure.reason else { return false }
        return answer.retryAfter(now: wallClock.now.secondsSince1970) == wait
    }

    private func wait(
        after attempt: Int, _ failure: Failure, by policy: RetryPolicy, _ isResendable: Bool
    ) -> Duration? {
        policy.wait(
            after: attempt, failure, isResendable: isResendable, jitter: jitter, now: wallClock.now.secondsSince1970)
    }

    /// The policy, with the number of retries that the request asks for.
    private func policy(for input: Wrapped.Input) -> RetryPolicy {
        guard let retries = (input as? RequestDraft)?.retries else { return policy }
        return RetryPolicy(retries: retries, backoff: policy.backoff)
    }

    /// Decided by the context, otherwise by the method; if neither is known, the request is not sent twice.
    private func isResendable(_ input: Wrapped.Input, _ context: ChainContext) -> Bool {
        if let known = context.isResendable { return known }
        let method = (input as? RequestDraft)?.route.method ?? (input as? OutgoingRequest)?.request.method
        return method?.isIdempotent ?? false
    }
}

extension Failure {
    fileprivate var leastMaybeSent: Failure {
        var failure = self
        if phase == .notSent { failure.phase = .maybeSent }
        return failure
    }
}
