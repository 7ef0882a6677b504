// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingPaging

/// What a sender asks the origin about a write. These requests change nothing there.
extension WriteSender {
    /// What the web page that answered a write shows: a portal, if one answers a GET of the same URL, too; else an answer of
    /// the origin's own that cannot be read.
    func webPage(answering write: ClaimedWrite, _ source: Source, over transport: any Transport) async
        -> Failure
    {
        let found = await portal(before: write, source, over: transport)
        let isPortal = found.map { !$0.isHeldBack } ?? false
        return Failure(
            isPortal ? .captivePortal : .badContent, phase: .answered,
            detail: isPortal
                ? nil : "a web page came where JSON was asked for; where that is right, send 'Accept: text/html'"
        ).at(method: write.method.rawValue, url: Redaction.url(write.url))
    }

    /// Whether a portal may have refused a write: by a redirect to its login page, or by a web page with a status that would
    /// complete a deletion. A rule of the config comes first.
    func isPerhapsOfPortal(_ failure: Failure, _ policy: WriteResultPolicy) -> Bool {
        guard policy.source.rule(for: failure, of: .write) == nil else { return false }
        return switch failure.reason {
        case .redirectRefused: (failure.underlying as? UnlistedOrigin)?.mayBePortal ?? false
        case .http(let answer):
            answer.statusClass == .gone && policy.isGoneDone && policy.write.isWebPage(answer, from: policy.source)
        default: false
        }
    }

    /// The refusal of a write, or that of a portal, if one answers a GET of the same URL. Many origins send web pages with their
    /// refusals.
    func refusal(
        of write: ClaimedWrite, _ failure: Failure, _ source: Source, over transport: any Transport
    ) async -> Failure {
        guard let found = await portal(before: write, source, over: transport) else {
            // The origin itself redirects, perhaps a write that it has carried out.
            guard failure.reason == .redirectRefused else { return failure }
            return Failure(
                .redirectRefused, phase: .answered, detail: failure.detail, underlying: RedirectedWrite()
            ).at(method: write.method.rawValue, url: Redaction.url(write.url))
        }
        var answer = Failure(.captivePortal, phase: .answered, detail: failure.detail)
        if found.isHeldBack {
            // A redirect parks the write. A web page with 404 would complete a deletion, which a portal may have answered.
            guard case .http(let refusal) = failure.reason else { return failure }
            answer = Failure(
                .badContent, phase: .answered,
                detail: "a web page came with \(refusal.status), and whose it is could not be found out: \(found)")
        }
        return answer.at(method: write.method.rawValue, url: Redaction.url(write.url))
    }

    /// Asks by a GET of the write's URL who answers there, which changes nothing.
    ///
    /// - Returns: why the write would not reach the origin; nil if the origin answers, whatever it says.
    func portal(before write: ClaimedWrite, _ source: Source, over transport: any Transport) async -> Failure? {
        let context = ChainContext(requestID: "before \(write.entry.shortID)", logger: environment.logger)
        do throws(Failure) {
            try checkSafety(of: write.url, at: source)
            let response = try await chain(source, transport).makeProbe(about: write).process(write.url, context)
            return write.isWebPage(response, from: source) ? Failure(.captivePortal, phase: .notSent) : nil
        } catch {
            return switch error.reason {
            case .http(let answer) where answer.statusClass != .portal: nil
            // It answered, though not with what can be read.
            case .badContent, .tooLarge, .truncated, .contract: nil
            case .http, .redirectRefused: Failure(.captivePortal, phase: .notSent)
            default:
                Failure(error.reason, phase: .notSent, detail: error.detail, underlying: error.underlying)
            }
        }
    }

    /// A source may have moved since the write was accepted.
    func checkSafety(of url: HTTPURL, at source: Source) throws(Failure) {
        guard let why = WriteSafety.refusal(of: url, by: source) else { return }
        throw Failure(.invalidRequest, phase: .notSent, detail: why)
    }

    /// Runs the delivery probe of a write that may have arrived; the write itself is not sent.
    func ask(
        _ probe: DeliveryProbe, about write: ClaimedWrite, _ source: Source, over transport: any Transport
    ) async -> WriteResult {
        let policy = ProbeResultPolicy(policy: policy(write, source), probe: probe)
        let context = ChainContext(requestID: "probe of \(write.entry.shortID)", logger: environment.logger)
        do throws(Failure) {
            let url = try probe.url(of: write, at: source)
            try checkSafety(of: url, at: source)
            return policy.result(of: try await chain(source, transport).makeProbe(about: write).process(url, context))
        } catch {
            return policy.result(of: error)
        }
    }

    /// Fetches the record of an edit, instead of sending that.
    func ask(
        _ question: ClaimedWrite.RecordQuestion, about write: ClaimedWrite, _ source: Source,
        over transport: any Transport
    ) async -> WriteResult {
        switch question {
        case .refused(let refusal):
            return await withTheirs(
                WriteResult(.parked(.conflict, refusal, nil), .nothing), of: write, source, over: transport,
                waits: false)
        case .noETag:
            var result: WriteResult
            do throws(Failure) {
                result = WriteResult(.learned(try await theirs(of: write, source, over: transport)), .answers)
            } catch {
                result = policy(write, source).result(notLearningETag: error)
            }
            result.isTry = false
            return result
        }
    }

    /// The result with the record as the origin has it, if it is a conflict: the refusal may show another object that names its
    /// key. A conflict that the record has to decide waits until it can be fetched.
    ///
    /// - Parameter waits: whether such a conflict waits; else it is parked again.
    func withTheirs(
        _ result: WriteResult, of write: ClaimedWrite, _ source: Source, over transport: any Transport,
        waits: Bool = true
    ) async -> WriteResult {
        guard case .parked(.conflict, let refusal, let answer) = result.transition, let record = write.record else {
            return result
        }
        var result = result
        do throws(Failure) {
            result.theirs = try await theirs(of: write, source, over: transport)
        } catch {
            let isDecidedByRecord = record.terms.conflict == .theirs || record.terms.conflict == .merge
            if waits, isDecidedByRecord, record.found(in: answer?.body) == nil,
                let waiting = policy(write, source).result(of: refusal, notFetching: error)
            {
                (result.transition, result.outcome) = (waiting.transition, waiting.outcome)
            }
        }
        return result
    }

    /// - Returns: nil if the answer does not have the record.
    private func theirs(
        of write: ClaimedWrite, _ source: Source, over transport: any Transport
    ) async throws(Failure) -> WriteAnswer? {
        let context = ChainContext(requestID: "record of \(write.entry.shortID)", logger: environment.logger)
        try checkSafety(of: write.url, at: source)
        let response = try await chain(source, transport).makeProbe(about: write).process(write.url, context)
        if write.isWebPage(response, from: source) { throw Failure(.captivePortal, phase: .answered) }
        guard write.record?.found(in: response.bytes) != nil else { return nil }
        // Of a record with a member such as 'error' that is said otherwise.
        if let shortfall = write.shortfall(in: response, limits: source.jsonLimits), shortfall.kind != .error {
            throw Failure(.badContent, phase: .answered, detail: "the record is not whole: \(shortfall.why)")
        }
        var answer = WriteAnswer(
            status: response.response.status.code, contentType: response.response.headerFields[.contentType],
            etag: response.response.headerFields.entityTag, body: response.bytes ?? [])
        answer.fetchedFrom = write.url.description
        return answer
    }
}

extension Failure {
    /// Whether our own limits held back the GET that asks who answers, so that nobody was asked. Any other failure speaks of a
    /// portal beside a web page: many portals cut the line.
    fileprivate var isHeldBack: Bool { reason == .waitingForOrigin }
}
