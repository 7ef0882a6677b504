// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// The rule of `errors:` that an answer matched, attached to the failure made from it.
struct RuledFailure: Error, CustomStringConvertible {
    let rule: FailureRule

    var description: String { rule.message }
}

extension Source {
    /// The first rule that matches `failure` of a `subject`.
    func rule(for failure: Failure, of subject: FailureRule.Subject) -> FailureRule? {
        if let ruled = failure.underlying as? RuledFailure { return ruled.rule }
        return failureRules.first { $0.isFor(subject) && $0.fits(failure.reason) }
    }

    /// What happens to a failed request: decided by the first matching rule, else by the built-in table.
    func retention(of failure: Failure, _ kind: RequestKind, now: Timestamp) -> Retention {
        switch ruling(on: failure, kind)?.action {
        case nil: return builtInRetention(of: failure, kind, now: now)
        case .queue: return .keep(counted: false, minimumWait: RetryRules.unspecifiedWait)
        case .retry: return .keep(counted: true)
        case .rateLimited:
            return .keep(
                counted: asksTooShortWait(failure, now: now), minimumWait: failure.ruledRetryDelay(now: now))
        case .refreshToken: return .signIn
        // With the first four it is not a failure by now; with `resetCursor` the listing has started over already.
        case .ignore, .quarantine, .partial, .empty, .park, .fail, .resetCursor:
            return kind == .fetch ? .fail : .park(.rejected)
        }
    }

    /// What happens to a failed request that no rule matches.
    func builtInRetention(of failure: Failure, _ kind: RequestKind, now: Timestamp) -> Retention {
        let retention = failure.retention(of: kind)
        let isCounted = retention == .keep(counted: false) && asksTooShortWait(failure, now: now)
        return isCounted ? .keep(counted: true) : retention
    }

    /// Whether the origin asks for a wait below the source's own first one. Such a wait counts as none: the try is a failed one
    /// like others, and its backoff grows.
    private func asksTooShortWait(_ failure: Failure, now: Timestamp) -> Bool {
        guard case .http(let answer) = failure.reason, !failure.isOffline else { return false }
        return answer.retryAfter(now: now.secondsSince1970).map { $0 < retry.backoff.base } ?? false
    }

    /// What a failure of a request shows about the source.
    func outcome(of failure: Failure, _ kind: RequestKind, now: Timestamp) -> SourceOutcome {
        switch rule(for: failure, of: kind == .fetch ? .fetch : .write)?.action {
        case .rateLimited:
            .retryAfter(
                until: now + failure.ruledRetryDelay(now: now), note: failure.description,
                backoff: backoff(after: failure, kind, now: now))
        case .refreshToken: .signIn(note: failure.description)
        // The sync fails at once, so there is no further try to spare, and another process may have the secret.
        case nil where kind == .fetch && failure.reason == .credentialUnavailable: .nothing
        case nil: builtInOutcome(of: failure, kind, now: now)
        // The rule concerns the request, so a `Retry-After` in its answer does not close the gate for others.
        default: SourceOutcome(failure, now: now).withoutRetryAfter(failure)
        }
    }

    /// What a failure that no rule matches shows about the source.
    func builtInOutcome(of failure: Failure, _ kind: RequestKind, now: Timestamp) -> SourceOutcome {
        // One resource may have the URL of a web page: others need not wait for it.
        if failure.reason == .captivePortal, kind == .fetch { return .failed }
        // A parent, or one resource, may be refused alone: a fan-out pass counts its own refusals. A refused credential waits
        // for a sign-in, whatever its status.
        if kind != .fetch, !(failure.underlying is CredentialRefusal), case .http(let answer) = failure.reason,
            let refusal = answer.refusal(isOfWrite: true)
        {
            return .refused(refusal, mayBeOfOne: answer.statusClass == .gone)
        }
        return SourceOutcome(failure, backoff: backoff(after: failure, kind, now: now), now: now)
    }

    private func backoff(after failure: Failure, _ kind: RequestKind, now: Timestamp) -> Backoff {
        let isResendable = kind == .fetch || kind == .write(resendable: true)
        return retry.backoff(after: failure, isResendable: isResendable, now: now.secondsSince1970)
    }

    /// The wait before the next try of a request, after `attempts` counted ones: as long as the origin asks, and at least the
    /// backoff if the try counts or the origin asks for nothing.
    func wait(after failure: Failure, attempts: Int, isCounted: Bool, jitter: Jitter, now: Timestamp) -> Duration {
        let asked = failure.retryDelay(now: now)
        if let asked, !isCounted { return asked }
        let backoff = retry.backoff.wait(after: attempts, jitter: jitter)
        // Such an origin may be there again in a minute, as its gate is.
        return asked.map { max($0, min(backoff, RetryRules.unspecifiedWait)) } ?? backoff
    }

    /// Whether a rule treats `failure` as a refused credential, so that the request may be sent again with another one.
    func isRefusedCredential(_ failure: Failure, of subject: FailureRule.Subject, isResendable: Bool) -> Bool {
        let kind: RequestKind = subject == .fetch ? .fetch : .write(resendable: isResendable)
        return ruling(on: failure, kind)?.action == .refreshToken
    }

    /// The rule that decides what happens to the request, if there is one.
    ///
    /// A write that may have arrived and may not be sent twice is in doubt whatever the rules say, except if a rule for writes
    /// only matches its answer: such a rule states that the origin did not act.
    private func ruling(on failure: Failure, _ kind: RequestKind) -> FailureRule? {
        guard let rule = rule(for: failure, of: kind == .fetch ? .fetch : .write) else { return nil }
        let isUncertain = failure.retention(of: kind) == .park(.uncertain)
        return isUncertain && (rule.subject != .write || failure.phase != .answered) ? nil : rule
    }

    /// The chain node that matches rules against answers to a `subject`; nil if no rule looks at answers.
    func errorEnvelope(for subject: FailureRule.Subject) -> ResponseErrorEnvelopeNode? {
        let rules = failureRules.filter { rule in
            if case .answer = rule.condition { rule.isFor(subject) } else { false }
        }
        guard !rules.isEmpty else { return nil }
        // An answer to a write is read whole anyway, and a refusal in it must not count as a delivery.
        let limit = subject == .write ? transport.maxBody : HTTPFailure.bodyLimit
        return ResponseErrorEnvelopeNode(limit: limit, asksSuccesses: rules.contains(where: \.looksAtSuccesses)) {
            document, reply in
            rules.first { $0.fits(document, reply) }.flatMap { $0.keepsSuccess ? nil : reply.failure(by: $0) }
        }
    }

    /// The rule that keeps a success as one, but marks it: a page that is `partial`, a write that is delivered whatever the
    /// answer says. Pages of any size are looked at.
    func rule(
        keeping response: LoadedResponse, of subject: FailureRule.Subject
    ) -> FailureRule? {
        let rules = failureRules.filter { $0.keepsSuccess && $0.isFor(subject) }
        guard !rules.isEmpty, response.response.status.kind == .successful else { return nil }
        let bytes = rules.contains(where: \.readsBody) ? response.bytes : nil
        let document = bytes.flatMap { try? JSONDocument($0, limits: jsonLimits) }
        return rules.first { $0.fits(document, response.with(body: response.bytes ?? [])) }
    }
}

extension Source {
    /// The same source with `rules` before its own, such as those of a resource.
    package func putting(first rules: [FailureRule]) -> Source {
        var source = self
        source.failureRules = rules + failureRules
        return source
    }
}

extension SourceOutcome {
    fileprivate func withoutRetryAfter(_ failure: Failure) -> SourceOutcome {
        guard case .retryAfter = self, case .http(let answer) = failure.reason else { return self }
        return answer.status == 429 ? .answers : .failed
    }
}

extension Failure {
    /// How long a source rests if a rule says that it is rate limited.
    fileprivate func ruledRetryDelay(now: Timestamp) -> Duration {
        guard case .http(let answer) = reason else { return RetryRules.unspecifiedWait }
        return answer.retryDelay(now: now)
    }
}

extension ChainResponse<[UInt8]> {
    /// Turns the answer into a failure, whatever its status, with the rule attached.
    fileprivate func failure(by rule: FailureRule) -> Failure {
        let ruled = RuledFailure(rule: rule)
        return Failure(
            .http(HTTPFailure(response, bodyStart: body)), phase: .answered, detail: ruled.description,
            underlying: ruled)
    }
}
