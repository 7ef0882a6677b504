internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// Decides what the answer to a delivery probe, or its failure, means for the write in doubt.
struct ProbeJudgement: Sendable {
    let judgement: WriteJudgement
    let probe: WriteProbe

    private var write: ClaimedWrite { judgement.write }

    func judge(_ response: LoadedResponse) -> WriteSettlement {
        let limits = judgement.source.jsonLimits
        guard let document = response.bytes.flatMap({ try? JSONDocument($0, limits: limits) }) else {
            return judge(
                Failure(.badContent, phase: .answered, detail: "the origin's word on it is not JSON"))
        }
        let value = probe.value(entry: write.entry.id, key: write.key)
        return WriteSettlement(verdict(ProbeAnswer(document, to: probe, asking: value), response), .answers)
    }

    func judge(_ failure: Failure) -> WriteSettlement {
        WriteSettlement(verdict(failure), SourceOutcome(failure, now: judgement.now))
    }

    private func verdict(_ answer: ProbeAnswer, _ response: LoadedResponse) -> WriteSettlement.Verdict {
        switch answer {
        case .there(let record):
            let isWhole = record.map { Array($0.bytes) } == response.bytes
            return .arrived(
                WriteAnswer(
                    status: response.response.status.code, contentType: response.response.headerFields[.contentType],
                    // The ETag of a list does not belong to the record.
                    etag: isWhole ? response.response.headerFields[.eTag] : nil,
                    body: record.map { Array($0.bytes) } ?? []))
        case .notThere: return .sendAgain(from: believed, because: "it is not there")
        case .unclear(let why): return otherwise(RecordedError(Failure(.contract, phase: .answered, detail: why)), nil)
        }
    }

    private func verdict(_ failure: Failure) -> WriteSettlement.Verdict {
        if case .http(let answer) = failure.reason, answer.statusClass == .gone, probe.isDirect {
            return .sendAgain(from: believed, because: "it is not there")
        }
        switch failure.retention(of: .fetch) {
        case .keep(let isCounted, let most, let minimum):
            if let most, write.entry.attempts + 1 >= most { return otherwise(RecordedError(failure), failure) }
            return judgement.retry(failure, isCounted: isCounted, waitsForLine: failure.isOfTheLine, minimum: minimum)
        case .signIn: return .parked(.signIn, RecordedError(failure), nil)
        case .park, .fail: return otherwise(RecordedError(failure), failure)
        case .release: return .released(isUnsent: false)
        }
    }

    /// Applies the fallback if the answer is unclear.
    private func otherwise(_ error: RecordedError, _ failure: Failure?) -> WriteSettlement.Verdict {
        switch probe.otherwise {
        case .hold: .parked(.uncertain, error, nil)
        case .send: .sendAgain(from: believed, because: "the origin does not tell: \(error.message)")
        }
    }

    /// When "it is not there" becomes final: until then the request may still be on its way.
    private var believed: Timestamp { (write.entry.unknownSince ?? judgement.now) + probe.after }
}
