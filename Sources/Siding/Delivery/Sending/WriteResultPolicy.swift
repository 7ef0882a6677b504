// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingPaging

/// Decides what an answer or a failure means for the write and for its source.
struct WriteResultPolicy: Sendable {
    let source: Source
    let write: ClaimedWrite
    let jitter: Jitter
    let now: Timestamp
    /// Whether an earlier request of this claim may have arrived.
    var hasLostTry = false

    /// Whether an earlier try was not answered, or not for certain, in this claim or before it.
    private var mayHaveArrived: Bool { hasLostTry || write.entry.firstSentAt != nil }

    /// The result of a successful answer: the origin acted, unless the answer says otherwise.
    func result(of response: LoadedResponse) -> WriteResult {
        if let refused = refused(by: response) { return refused }
        var answer = WriteAnswer(
            status: response.response.status.code, contentType: response.response.headerFields[.contentType],
            etag: response.response.headerFields.entityTag, body: response.bytes ?? [])
        answer.createdID = response.response.headerFields[.location].flatMap(createdID)
        return WriteResult(.delivered(answer), .accepted)
    }

    /// The result of a success that says that the origin has not acted, or only in part; nil if it says no such thing, or if a
    /// rule takes it for a delivery.
    ///
    /// A 304 says so (RFC 9110 §15.4.5) unless it answers a PUT or DELETE under a condition: then the origin is as that asks
    /// for. A GraphQL answer says so in its errors, others in the ways of ``Shortfall``.
    private func refused(by response: LoadedResponse) -> WriteResult? {
        if response.response.status == .notModified {
            let isDone = write.method.isIdempotent && write.isConditional
            return isDone ? nil : result(of: refusal(in: response, "it changed nothing"))
        }
        guard source.rule(keeping: response, of: .write) == nil else { return nil }
        if write.isGraphQL || response.response.headerFields[.contentType]?.isGraphQLType ?? false {
            return switch GraphQLAnswer(response.bytes ?? [], limits: source.jsonLimits) {
            case .delivered: nil
            case .refused(let why): refused(response, why)
            case .partly(let why): parkedInPart(response, why)
            case .unclear: inDoubt(response, "its answer has no `data` that says whether it acted")
            }
        }
        guard let shortfall = write.shortfall(in: response, limits: source.jsonLimits) else { return nil }
        return switch shortfall.kind {
        // It took the write on; nobody knows more until a listing shows what came of it.
        case .accepted: nil
        // The error is that of what it made: of a job that waits, of a test.
        case .error where hasMade(response.response): nil
        case .error: refused(response, shortfall.why)
        case .part: inDoubt(response, "it may have acted on a part only: \(shortfall.why)")
        case .entries: parkedInPart(response, "it did not act on each entry: \(shortfall.why)")
        }
    }

    /// A batch of which a part was carried out. The origin has said so, so no probe is needed, and sending it again would repeat
    /// that part.
    private func parkedInPart(_ response: LoadedResponse, _ why: String) -> WriteResult {
        var failure = refusal(in: response, why)
        failure.underlying = PartlyDoneBatch()
        return WriteResult(parked(.uncertain, failure), .answers)
    }

    private func refused(_ response: LoadedResponse, _ why: String) -> WriteResult {
        let failure = refusal(in: response, why)
        return doubted(WriteResult(parked(.rejected, failure), .answers), failure)
    }

    private func inDoubt(_ response: LoadedResponse, _ why: String) -> WriteResult {
        let failure = refusal(in: response, why)
        return WriteResult(write.probe == nil ? parked(.uncertain, failure) : unknown(failure), .answers)
    }

    /// Whether the origin says that it made something: by 201 (RFC 9110 §15.3.2), or by a `Location` below the request's path.
    private func hasMade(_ response: HTTPResponse) -> Bool {
        response.status == .created || response.headerFields[.location].flatMap(pathBelowRequest)?.nonEmpty != nil
    }

    private func createdID(in location: String) -> String? {
        guard write.terms?.change == .create, var id = pathBelowRequest(location) else { return nil }
        // Some frameworks end every path with a slash.
        if id.hasSuffix("/") { id.removeLast() }
        let decoded = HTTPURL.decode(id)
        // Bytes that are no UTF-8 would become another id.
        return id.contains("/") || decoded.contains("\u{FFFD}") ? nil : decoded.nonEmpty
    }

    /// The path of `location` behind that of the request; nil if it is elsewhere. Its scheme may be another one, as an origin behind a
    /// proxy often does not know by which it is asked.
    private func pathBelowRequest(_ location: String) -> String? {
        guard let place = try? write.url.resolve(location), place.host == write.url.host else { return nil }
        let collection = write.url.path.hasSuffix("/") ? write.url.path : write.url.path + "/"
        return place.path.hasPrefix(collection) ? String(place.path.dropFirst(collection.count)) : nil
    }

    /// A success that does not say that the origin acted.
    private func refusal(in response: LoadedResponse, _ why: String) -> Failure {
        Failure(.http(HTTPFailure(response.response, bodyStart: response.bytes ?? [])), phase: .answered, detail: why)
            .at(method: write.method.rawValue, url: Redaction.url(write.url))
    }

    func result(of failure: Failure) -> WriteResult {
        if source.rule(for: failure, of: .write) == nil, case .http(let answer) = failure.reason,
            let result = special(answer, failure)
        {
            return doubted(result, failure)
        }
        let outcome = source.outcome(of: failure, .write(resendable: write.isResendable), now: now)
        var result = WriteResult(transition(failure), outcome)
        result.isTry = failure.isOfTry
        return doubted(result, failure)
    }

    /// A refusal after an unanswered try of the same request does not say that the origin has not acted on that one: it may
    /// be an effect of it. So the write is in doubt, and no conflict policy applies.
    private func doubted(_ result: WriteResult, _ failure: Failure) -> WriteResult {
        // A PUT or DELETE that neither has a key nor edits a record acts once however often it is sent.
        guard mayHaveArrived, write.isKeyed || write.probe != nil, failure.phase == .answered,
            case .parked(let reason, var error, let answer) = result.transition,
            reason == .rejected || reason == .conflict
        else { return result }
        error.message += "; an earlier try was not answered, so it may have arrived"
        var doubted = result
        doubted.transition =
            write.probe == nil ? .parked(.uncertain, error, answer) : unknown(error, waitsForNetwork: false)
        return doubted
    }

    /// Statuses with a meaning specific to writes.
    private func special(_ answer: HTTPFailure, _ failure: Failure) -> WriteResult? {
        switch answer.statusClass {
        // The record to delete is gone already, or the origin knows none at the moment: it has accepted nothing.
        case .gone where isGoneDone:
            return WriteResult(.delivered(kept(answer)), .answers)
        // The origin is still processing the first attempt with this key (draft-ietf-httpapi-idempotency-key-header §2.6).
        case .conflict
        where answer.status == 409 && write.isKeyed && mayHaveArrived
            && write.entry.attempts < RetryRules.keyedConflictAttempts:
            return WriteResult(retry(failure, isCounted: true, waitsForNetwork: false, minimum: nil), .answers)
        case _ where write.conflictStatuses?.contains(answer.status) ?? false:
            return WriteResult(parked(.conflict, failure), .answers)
        case .conflict where write.conflictStatuses != nil:
            return WriteResult(parked(.rejected, failure), .answers)
        default: return nil
        }
    }

    /// Whether 404 and 410 complete the write.
    var isGoneDone: Bool {
        write.goneIsDone ?? (write.method == .delete || write.terms?.change == .delete)
    }

    private func transition(_ failure: Failure) -> WriteResult.Transition {
        switch source.retention(of: failure, .write(resendable: write.isResendable), now: now) {
        case .keep(let isCounted, let most, let minimum):
            if let most, write.entry.attempts + 1 >= most { return parked(.rejected, failure) }
            return retry(failure, isCounted: isCounted, waitsForNetwork: failure.isConnectionFailure, minimum: minimum)
        case .signIn: return parked(.signIn, failure)
        // Once the origin was asked whether it has the write, its redirect is a refusal.
        case .park(.uncertain)
        where failure.underlying is RedirectedWrite && write.probe != nil && write.entry.attempts > 0:
            return parked(.rejected, failure)
        case .park(.uncertain) where write.probe != nil: return unknown(failure)
        case .park(let reason): return parked(failure.reason == .invalidRequest ? .invalid : reason, failure)
        case .fail: return parked(.rejected, failure)
        case .release: return .released(isUnsent: failure.phase == .notSent)
        }
    }

    private func parked(_ reason: ParkReason, _ failure: Failure) -> WriteResult.Transition {
        guard case .http(let answer) = failure.reason else {
            return .parked(reason, RecordedError(ofWrite: failure), nil)
        }
        return .parked(reason, RecordedError(ofWrite: failure), kept(answer))
    }

    /// In doubt, to be resolved by a delivery probe.
    private func unknown(_ failure: Failure) -> WriteResult.Transition {
        unknown(RecordedError(ofWrite: failure), waitsForNetwork: failure.isConnectionFailure)
    }

    private func unknown(_ error: RecordedError, waitsForNetwork: Bool) -> WriteResult.Transition {
        let (backoff, jitter) = (source.retry.backoff, jitter)
        return .unknown(error, waitsForNetwork: waitsForNetwork) { attempts in
            backoff.wait(after: attempts, jitter: jitter)
        }
    }

    func retry(
        _ failure: Failure, isCounted: Bool, waitsForNetwork: Bool, minimum: Duration?
    ) -> WriteResult.Transition {
        let (source, jitter, now) = (source, jitter, now)
        // If the gate holds the entry back, the entry itself does not wait: it is due when the gate opens.
        let isGated =
            failure.isOffline || (failure.underlying as? BudgetSpent)?.closesSource(now: now) ?? false
        return .retry(RecordedError(ofWrite: failure), isCounted: isCounted, waitsForNetwork: waitsForNetwork) {
            attempts in
            isGated
                ? .zero
                : max(
                    source.wait(after: failure, attempts: attempts, isCounted: isCounted, jitter: jitter, now: now),
                    minimum ?? .zero)
        }
    }

    /// What becomes of the write if a GET about it fails; nil if that would fail again.
    func transition(ofQuestion failure: Failure) -> WriteResult.Transition? {
        switch source.builtInRetention(of: failure, .fetch, now: now) {
        // A GET that was not sent says nothing about the write.
        case .fail where failure.reason == .credentialUnavailable:
            retry(failure, isCounted: true, waitsForNetwork: false, minimum: nil)
        case .keep(_, let most?, _) where write.entry.attempts + 1 >= most: nil
        case .keep(let isCounted, _, let minimum):
            retry(failure, isCounted: isCounted, waitsForNetwork: failure.isConnectionFailure, minimum: minimum)
        case .signIn: .parked(.signIn, RecordedError(failure), nil)
        case .park, .fail: nil
        case .release: .released(isUnsent: false)
        }
    }

    /// What becomes of an edit whose record could not be fetched before it was sent.
    ///
    /// An origin that does not show the record to this user gets the edit without the condition, and judges it. While it does not
    /// answer, the edit waits; in the end a person decides.
    func result(notLearningETag failure: Failure) -> WriteResult {
        // Nothing of the edit itself was sent.
        var unsent = failure
        unsent.phase = .notSent
        let outcome = source.builtInOutcome(of: failure, .fetch, now: now)
        switch source.builtInRetention(of: failure, .fetch, now: now) {
        case .fail where failure.reason == .credentialUnavailable:
            return WriteResult(retry(unsent, isCounted: true, waitsForNetwork: false, minimum: nil), outcome)
        case .fail, .park, .signIn: return WriteResult(.learned(nil), failure.phase == .answered ? .answers : .nothing)
        case .release: return WriteResult(.released(isUnsent: true), .nothing)
        case .keep(let isCounted, let most, let minimum):
            let most = min(most ?? .max, RetryRules.unfetchedRecordAttempts)
            guard failure.isOffline || write.entry.attempts + 1 < most else {
                var error = RecordedError(ofWrite: unsent)
                error.message = "no ETag of the record is known, and it cannot be fetched: \(error.message)"
                return WriteResult(.parked(.rejected, error, nil), outcome)
            }
            let waitsForNetwork = failure.isConnectionFailure
            return WriteResult(
                retry(unsent, isCounted: isCounted, waitsForNetwork: waitsForNetwork, minimum: minimum), outcome)
        }
    }

    /// The result of a conflict that the record has to decide, and that could not be fetched: the write waits, and is then sent
    /// as it was, to be refused again. Nil if the GET would fail again, or failed again and again.
    func result(of conflict: RecordedError, notFetching failure: Failure) -> WriteResult? {
        guard write.entry.attempts + 1 < RetryRules.unfetchedRecordAttempts || failure.isOffline else { return nil }
        var error = conflict
        error.message += "; the record could not be fetched: \(failure)"
        let transition: WriteResult.Transition? =
            switch transition(ofQuestion: failure) {
            // It counts, as the write itself was tried.
            case .retry(_, _, let waitsForNetwork, let wait):
                .retry(error, isCounted: true, waitsForNetwork: waitsForNetwork, wait: wait)
            case .parked(let reason, _, _): .parked(reason, error, nil)
            case .released: .retry(error, isCounted: false, waitsForNetwork: false) { _ in .zero }
            default: nil
            }
        return transition.map { WriteResult($0, source.builtInOutcome(of: failure, .fetch, now: now)) }
    }

    private func kept(_ answer: HTTPFailure) -> WriteAnswer {
        WriteAnswer(
            status: answer.status, contentType: answer.headerFields[.contentType], etag: answer.headerFields.entityTag,
            body: answer.body)
    }
}
