internal import HTTPTypes
internal import SidingChain

/// The rule of `errors:` that an answer fits, travelling with the failure that the answer is.
struct RuledFailure: Error, CustomStringConvertible {
    let rule: FailureRule

    var description: String { "\(rule.place) says \(rule.action.rawValue)" }
}

extension Source {
    /// The first rule that `failure` of a `subject` fits.
    func rule(for failure: Failure, of subject: FailureRule.Subject) -> FailureRule? {
        if let ruled = failure.underlying as? RuledFailure { return ruled.rule }
        return failureRules.first { $0.isFor(subject) && $0.fits(failure.reason) }
    }

    /// What becomes of a request: as the first rule that fits says, else as the table does.
    func retention(of failure: Failure, _ kind: RequestKind, now: Timestamp) -> Retention {
        switch ruling(on: failure, kind)?.action {
        case nil: return failure.retention(of: kind)
        case .queue: return .keep(counted: false, minimumWait: HTTPFailure.unspecifiedPatience)
        case .retry: return .keep(counted: true)
        case .rateLimited: return .keep(counted: false, minimumWait: failure.ruledPatience(now: now))
        case .refreshToken: return .signIn
        // What is ignored or set aside is no failure any more when this is asked, and what starts anew has done so.
        case .ignore, .quarantine, .park, .fail, .resetCursor: return kind == .fetch ? .fail : .park(.rejected)
        }
    }

    /// What a failure of a `subject` teaches about the source.
    func lesson(of failure: Failure, _ subject: FailureRule.Subject, now: Timestamp) -> SourceOutcome {
        switch rule(for: failure, of: subject)?.action {
        case .rateLimited: .patience(until: now + failure.ruledPatience(now: now), note: failure.description)
        case .refreshToken: .signIn(note: failure.description)
        case nil: SourceOutcome(failure, now: now)
        // The rule is about the request: the origin's wish for patience closes the source to none of the others.
        default: SourceOutcome(failure, now: now).withoutPatience(failure)
        }
    }

    /// Whether a rule takes `failure` for a refused credential, so that the request may go out again with another one.
    func isRefusedCredential(_ failure: Failure, of subject: FailureRule.Subject, isResendable: Bool) -> Bool {
        let kind: RequestKind = subject == .fetch ? .fetch : .write(resendable: isResendable)
        return ruling(on: failure, kind)?.action == .refreshToken
    }

    /// The rule that has the word on what becomes of the request, if one has.
    ///
    /// What may have arrived, and may not be sent twice, is that under every rule; but where a rule for writes alone says of
    /// an answer that the origin did not act.
    private func ruling(on failure: Failure, _ kind: RequestKind) -> FailureRule? {
        guard let rule = rule(for: failure, of: kind == .fetch ? .fetch : .write) else { return nil }
        let isDoubtful = failure.retention(of: kind) == .park(.uncertain)
        return isDoubtful && (rule.subject != .write || failure.phase != .answered) ? nil : rule
    }

    /// Finds the rule that an answer to a `subject` fits, for the chain; nil where no rule looks at answers.
    func errorEnvelope(for subject: FailureRule.Subject) -> ResponseErrorEnvelopeNode? {
        let rules = failureRules.filter { rule in
            if case .answer = rule.condition { rule.isFor(subject) } else { false }
        }
        guard !rules.isEmpty else { return nil }
        return ResponseErrorEnvelopeNode(asksSuccesses: rules.contains(where: \.looksAtSuccesses)) { envelope in
            guard let rule = rules.first(where: { $0.fits(envelope) }) else { return nil }
            return envelope.failure(by: rule)
        }
    }
}

extension Source {
    /// The same source with `rules` before its own, such as those of one resource.
    public func putting(first rules: [FailureRule]) -> Source {
        var source = self
        source.failureRules = rules + failureRules
        return source
    }
}

extension SourceOutcome {
    fileprivate func withoutPatience(_ failure: Failure) -> SourceOutcome {
        guard case .patience = self, case .http(let answer) = failure.reason else { return self }
        return answer.status == 429 ? .answers : .failed(isTimeout: false)
    }
}

extension Failure {
    /// How long a source is left alone that a rule takes for rate limited.
    fileprivate func ruledPatience(now: Timestamp) -> Duration {
        guard case .http(let answer) = reason else { return HTTPFailure.unspecifiedPatience }
        return answer.patience(now: now)
    }
}

extension ErrorEnvelope {
    /// The answer as a failure, whatever its status, with the rule that makes it one.
    fileprivate func failure(by rule: FailureRule) -> Failure {
        let ruled = RuledFailure(rule: rule)
        return Failure(
            .http(HTTPFailure(response, bodyStart: bytes)), phase: .answered, detail: ruled.description,
            underlying: ruled)
    }
}
