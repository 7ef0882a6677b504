// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingPaging

/// Decides what the answer to a delivery probe, or its failure, means for the write in doubt.
struct ProbeResultPolicy: Sendable {
    let policy: WriteResultPolicy
    let probe: DeliveryProbe

    private var write: ClaimedWrite { policy.write }

    func result(of response: LoadedResponse) -> WriteResult {
        if write.isWebPage(response, from: policy.source) { return portal }
        let limits = policy.source.jsonLimits
        guard let document = response.bytes.flatMap({ try? JSONDocument($0, limits: limits) }) else {
            return result(
                of: Failure(.badContent, phase: .answered, detail: "the answer to the delivery probe is not JSON"))
        }
        var answer = probe.answer(document, about: write)
        if answer == .notThere, let why = reasonForMore(in: document, response) { answer = .unclear(why) }
        return WriteResult(transition(answer, document, response), .answers)
    }

    /// Why an answer without the write does not show that the origin lacks it: it says of itself that it is not whole, or that
    /// there are more records; nil if neither.
    private func reasonForMore(in document: JSONDocument, _ response: LoadedResponse) -> String? {
        guard case .declared(let declared) = probe else { return nil }
        let answer = PageAnswer(toProbe: response.response.headerFields, document, url: response.url)
        let path = declared.records ?? .root
        if let shortfall = Shortfall(answer, status: response.response.status.code, recordsAt: path) {
            return "its answer is not whole: \(shortfall.why)"
        }
        let extent = ListingExtent(answer, recordsAt: path)
        if let total = extent.total, total.count > 0 {
            return "its answer reports \(MessageFormat.count(total.count, "record")) (\(total.place))"
        }
        if let more = extent.more { return "\(more) reports more pages" }
        if !extent.saysEnd, extent.total == nil, let next = extent.nextPages.first(where: \.isCertain) {
            return "\(next.place) names a next page"
        }
        return answer.link().map { _ in "a Link names a next page" }
    }

    /// A portal knows nothing of the write. The page may be the origin's own, so the gate stays as it is.
    private var portal: WriteResult {
        let failure = Failure(.captivePortal, phase: .answered)
        return WriteResult(
            policy.retry(failure, isCounted: true, waitsForNetwork: false, minimum: RetryRules.probeWindow), .nothing)
    }

    func result(of failure: Failure) -> WriteResult {
        if (failure.underlying as? UnlistedOrigin)?.mayBePortal ?? false { return portal }
        return WriteResult(transition(failure), policy.source.builtInOutcome(of: failure, .fetch, now: policy.now))
    }

    private func transition(
        _ answer: ProbeAnswer, _ document: JSONDocument, _ response: LoadedResponse
    ) -> WriteResult.Transition {
        switch answer {
        case .there(let record):
            // The ETag of a list does not belong to the record.
            let isWhole = probe.isOfRecord || record == document
            return arrived(
                WriteAnswer(
                    status: response.response.status.code, contentType: response.response.headerFields[.contentType],
                    etag: isWhole ? response.response.headerFields.entityTag : nil,
                    body: record.map { Array($0.bytes) } ?? []))
        case .notThere: return .sendAgain(from: finalAt, because: "the origin does not have it")
        case .unclear(let why):
            return fallBack(
                RecordedError(
                    name: Failure.Reason.contract.name, message: "the origin did not tell whether it arrived: \(why)",
                    hint: "look at the origin's answer with curl: the `probe` of the entry is its URL",
                    phase: Failure.Phase.answered.rawValue))
        }
    }

    private func transition(_ failure: Failure) -> WriteResult.Transition {
        if case .http(let answer) = failure.reason, answer.statusClass == .gone, let gone = probe.answerOfGone {
            return gone == .notThere
                ? .sendAgain(from: finalAt, because: "the origin does not have it")
                : arrived(WriteAnswer(status: answer.status, contentType: nil, body: []))
        }
        return policy.transition(ofQuestion: failure) ?? fallBack(RecordedError(failure))
    }

    private func arrived(_ answer: WriteAnswer) -> WriteResult.Transition {
        var answer = answer
        answer.fetchedFrom = try? probe.url(of: write, at: policy.source).description
        return .arrived(answer)
    }

    private func fallBack(_ error: RecordedError) -> WriteResult.Transition {
        switch probe.fallback {
        case .hold: .parked(.uncertain, error, nil)
        case .send: .sendAgain(from: finalAt, because: "the delivery probe was unclear: \(error.message)")
        }
    }

    /// When "the origin does not have it" becomes final: until then the request may still be on its way.
    private var finalAt: Timestamp { (write.entry.unknownSince ?? policy.now) + probe.after }
}

/// What an origin answered to a delivery probe.
enum ProbeAnswer: Hashable {
    /// The write arrived. The record, if exactly one was found.
    case there(JSONDocument?)
    case notThere
    /// The answer is unclear, with a message.
    case unclear(String)

    /// - Parameter value: the value that the write carried.
    init(_ document: JSONDocument, to probe: WriteProbe, asking value: String) {
        guard let found = Self.records(in: document, probe, value) else {
            self = .unclear("its answer has no list of records where the probe looks for one")
            return
        }
        guard !found.isEmpty else {
            self =
                probe.records == nil && Self.names(value, document)
                ? .unclear("its answer names the write, but has no record of it where the probe looks for one")
                : .notThere
            return
        }
        guard let mark = probe.mark else {
            self = found.count == 1 ? .there(found[0]) : .unclear("it found \(found.count) records instead of one")
            return
        }
        // An origin that does not know the parameter answers with an unfiltered list.
        let ours = found.filter { $0.value(at: mark)?.string == value }
        self =
            ours.isEmpty
            ? .unclear("the records found do not have this write's \(mark), so the origin ignored the query")
            : .there(ours.count == 1 ? ours[0] : nil)
    }

    private static func records(in document: JSONDocument, _ probe: WriteProbe, _ value: String) -> [JSONDocument]? {
        if let path = probe.records { return document.value(at: path.withoutEach).flatMap(list) }
        if document.kind != .object { return document.elements }
        if let mark = probe.mark, document.value(at: mark)?.string == value { return [document] }
        // If the URL's path names the write, the document is its record; an empty array inside of it is not an empty list.
        if probe.isDirect { return list(document) }
        // With several objects or arrays it is unclear which of them is the list.
        let parts = (document.members ?? []).map(\.value).filter { $0.kind == .array || $0.kind == .object }
        return parts.count == 1 ? parts[0].elements : nil
    }

    private static func names(_ value: String, _ document: JSONDocument) -> Bool {
        Array(document.bytes).firstRange(of: Array(value.utf8)) != nil
    }

    /// Many origins write an empty list as null.
    private static func list(_ document: JSONDocument) -> [JSONDocument]? {
        switch document.kind {
        case .array: document.elements
        case .object: document == .emptyObject ? nil : [document]
        case .null: []
        default: nil
        }
    }
}
