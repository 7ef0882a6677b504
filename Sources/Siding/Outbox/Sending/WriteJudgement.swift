internal import HTTPTypes
internal import SidingChain

/// What an answer or a failure means for the write that met it, and for its source.
struct WriteJudgement: Sendable {
    let source: Source
    let write: ClaimedWrite
    let jitter: Jitter
    let now: Timestamp

    /// The origin acted.
    func judge(_ response: LoadedResponse) -> WriteSettlement {
        WriteSettlement(
            .delivered(
                WriteAnswer(
                    status: response.response.status.code, contentType: response.response.headerFields[.contentType],
                    etag: response.response.headerFields[.eTag], body: response.bytes ?? [])), .answers)
    }

    func judge(_ failure: Failure) -> WriteSettlement {
        if source.rule(for: failure, of: .write) == nil, case .http(let answer) = failure.reason,
            let settlement = special(answer, failure)
        {
            return settlement
        }
        var settlement = WriteSettlement(verdict(failure), source.lesson(of: failure, .write, now: now))
        settlement.isTry = failure.isOfTry
        return settlement
    }

    /// Statuses that mean something of their own to a write.
    private func special(_ answer: HTTPFailure, _ failure: Failure) -> WriteSettlement? {
        switch answer.statusClass {
        // What is to go is gone already.
        case .gone where isGoneDone:
            return WriteSettlement(.delivered(kept(answer)), .answers)
        // The first try of the same key is still being worked on (draft-ietf-httpapi-idempotency-key-header §2.6).
        case .conflict
        where answer.status == 409 && write.isKeyed && write.firstSentAt != nil && write.entry.attempts < 3:
            return WriteSettlement(retry(failure, isCounted: true, waitsForLine: false, minimum: nil), .answers)
        case _ where write.conflictStatuses?.contains(answer.status) ?? false:
            return WriteSettlement(parked(.conflict, failure), .answers)
        case .conflict where write.conflictStatuses != nil:
            return WriteSettlement(parked(.rejected, failure), .answers)
        default: return nil
        }
    }

    private var isGoneDone: Bool {
        write.goneIsDone ?? (write.method == .delete || write.terms?.change == .delete)
    }

    private func verdict(_ failure: Failure) -> WriteSettlement.Verdict {
        switch source.retention(of: failure, .write(resendable: write.isResendable), now: now) {
        case .keep(let isCounted, let most, let minimum):
            if let most, write.entry.attempts + 1 >= most { return parked(.rejected, failure) }
            return retry(failure, isCounted: isCounted, waitsForLine: failure.isOfTheLine, minimum: minimum)
        case .signIn: return parked(.signIn, failure)
        case .park(.uncertain) where write.probe != nil: return unknown(failure)
        case .park(let reason): return parked(failure.reason == .invalidRequest ? .invalid : reason, failure)
        case .fail: return parked(.rejected, failure)
        case .release: return .released(isUnsent: failure.phase == .notSent)
        }
    }

    private func parked(_ reason: ParkReason, _ failure: Failure) -> WriteSettlement.Verdict {
        guard case .http(let answer) = failure.reason else { return .parked(reason, RecordedError(failure), nil) }
        return .parked(reason, RecordedError(failure), kept(answer))
    }

    /// Nobody need be asked but the origin.
    private func unknown(_ failure: Failure) -> WriteSettlement.Verdict {
        let (backoff, jitter) = (source.retry.backoff, jitter)
        return .unknown(RecordedError(failure), waitsForLine: failure.isOfTheLine) { attempts in
            backoff.wait(after: attempts, jitter: jitter)
        }
    }

    func retry(
        _ failure: Failure, isCounted: Bool, waitsForLine: Bool, minimum: Duration?
    ) -> WriteSettlement.Verdict {
        let (backoff, jitter, patience) = (source.retry.backoff, jitter, failure.patience(now: now))
        // Where the gate is what holds it back, the entry itself waits for nothing: it is due when the gate opens.
        let isGated =
            failure.reason == .noInternetConnection || failure.reason == .captivePortal
            || (failure.underlying as? BudgetSpent)?.closesSource(now: now) ?? false
        return .retry(RecordedError(failure), isCounted: isCounted, waitsForLine: waitsForLine) { attempts in
            isGated
                ? .zero : max(patience ?? backoff.wait(after: attempts, jitter: jitter), minimum ?? .zero)
        }
    }

    private func kept(_ answer: HTTPFailure) -> WriteAnswer {
        WriteAnswer(
            status: answer.status, contentType: answer.headerFields[.contentType], etag: answer.headerFields[.eTag],
            body: answer.body)
    }
}

extension Failure {
    /// Whether the origin was asked, or could not be reached; not where our own stop or limit came before.
    var isOfTry: Bool {
        switch reason {
        case .cancelled, .waitingForOrigin: phase != .notSent
        default: true
        }
    }

    /// Whether the origin was not reached, or not all the way: a wait for that ends when the line returns.
    var isOfTheLine: Bool {
        switch reason {
        case .timeout, .cantConnectToHost, .temporaryDNS, .hostNotFound, .connectionLost, .noInternetConnection,
            .captivePortal, .tlsHandshake, .proxyUnreachable:
            true
        default: false
        }
    }
}
