// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON

/// Verifies missing records by GET, if the config declares the address of single records. A 404 or 410 that no rule of
/// `errors:` treats otherwise, or the deletion mark, confirms the deletion. Any other answer with the record means that it
/// still exists.
struct DeletionVerification: Sendable {
    let sync: ResourceSync
    /// The path of a record below the source's base URL.
    let template: String
    private let chain: any Node<HTTPURL, LoadedResponse>
    private let counter = RequestCounter()
    private let credentials: PageCredentials

    /// The maximum number of records to verify per run; the next run continues with the others.
    static let mostPerRun = 1_000
    /// The number of concurrent requests.
    private var width: Int { sync.options.maxBytes == nil ? 4 : 1 }

    /// Nil if verification is not configured.
    init?(_ sync: ResourceSync) {
        guard sync.resource.deletions.byAbsence, let template = sync.resource.deletions.recordPath else { return nil }
        (self.sync, self.template) = (sync, template)
        let (engine, source) = (sync.engine, sync.resource.source)
        credentials = PageCredentials(source.authorization)
        let transport = counter.counting(credentials.noting(sync.transport))
        chain = ChainAssembly(
            to: source, for: .fetch, over: transport, within: sync.budget, in: engine.environment
        ).uncachedRequest(upTo: source.transport.maxBody)
    }

    private var resource: AnyResource { sync.resource }

    /// Verifies the missing records not verified lately, and deletes the confirmed ones at the end.
    ///
    /// If there are so many that the mass-deletion guard would block the deletion, it verifies none: the answers would change
    /// nothing. A failure of the source ends the verification; a record without an answer is kept, and does not hold up the
    /// others.
    func run(_ report: SyncReport) async throws(StoreError) -> SyncReport {
        let store = sync.engine.store
        // In one pass, a record below its parent may have moved to another parent.
        let isPathBound = resource.deletions.isPathBound
        let since = sync.engine.now
        let missing = try await store.unconfirmedDeletions(
            of: resource.name, passes: isPathBound ? 2 : 1, withParent: isPathBound,
            askedBefore: sync.engine.now + (.zero - RetryRules.verificationInterval))
        guard !missing.keys.isEmpty else { return report }
        var report = report
        if try await store.isBlocked(deleting: missing.unchecked, of: resource.name, sync.deletionTerms) {
            report.result.counters.deletionsBlocked += missing.unchecked
            return report
        }
        let left = missing.keys.count - Self.mostPerRun
        if left > 0 {
            report.add(
                note:
                    "\(MessageFormat.count(left, "more missing record was", plural: "more missing records were")) not "
                    + "verified: a run verifies at most \(Self.mostPerRun), and the "
                    + "next one continues")
        }
        let traffic = TrafficMeter()
        var outcome = try await traffic.counting { () async throws(StoreError) in try await ask(missing) }
        var counters = RunCounters()
        (counters.requests, counters.bytes) = (counter.take(), traffic.total)
        // A source in trouble may report live records as deleted: the next run verifies them again. A limit is no trouble.
        if let ending = outcome.ending, ending.reason != .waitingForOrigin {
            outcome.isDeleted = outcome.isDeleted.filter { !$0.value }
        }
        report.result.counters += try await store.apply(
            VerificationFindings(
                resource: resource.name, lease: sync.lease, run: sync.run, isDeleted: outcome.isDeleted,
                counters: counters, since: since, terms: sync.deletionTerms))
        if let ending = outcome.ending {
            let outcome = resource.source.outcome(of: ending, .fetch, now: sync.engine.now)
            try await store.record(outcome, of: resource.source.name)
        }
        if !outcome.unanswered.isEmpty {
            let asked = Set(outcome.isDeleted.keys).union(outcome.unanswered.map(\.key))
            let waiting = outcome.ending == nil ? 0 : missing.keys.count { !asked.contains($0) }
            report.warn(Self.message(outcome.unanswered, waiting: waiting))
        }
        return report
    }

    /// The answers to all requests of a run.
    private struct Answers {
        /// Whether each record is deleted at the origin, by key. A record with an unclear answer is kept, and not verified again
        /// on the same day.
        var isDeleted: [String: Bool] = [:]
        /// Records without a clear answer, and why; first the one that ended the verification.
        var unanswered: [(key: String, why: String)] = []
        /// The failure of the source that ended the verification.
        var ending: Failure?
    }

    private func ask(_ missing: UnconfirmedDeletions) async throws(StoreError) -> Answers {
        var (answers, inARow) = (Answers(), 0)
        var keys = missing.keys.prefix(Self.mostPerRun)
        while !keys.isEmpty, answers.ending == nil {
            let records = try await recordsToVerify(keys.prefix(width), missing.parents)
            keys = keys.dropFirst(width)
            var failures: [(key: String, failure: Failure)] = []
            for (key, answer) in await self.answers(for: records) {
                switch answer {
                case .success(let state):
                    answers.isDeleted[key] = state == .deleted
                    if case .unclear(let why) = state { answers.unanswered.append((key, why)) }
                case .failure(let failure):
                    failures.append((key, failure))
                    answers.unanswered.append((key, failure.description))
                    // An answer that decides nothing is asked for again after a day, so that it does not keep others from being
                    // asked about.
                    if failure.isAnswered { answers.isDeleted[key] = false }
                }
            }
            let isAnswered = failures.count < records.count
            inARow = isAnswered ? 0 : inARow + failures.count { mayConcernSource($0.failure) }
            let ending =
                inARow >= RetryRules.unansweredRecords ? failures.first : failures.first { isOfSource($0.failure) }
            guard let ending else { continue }
            answers.ending = ending.failure
            answers.unanswered =
                [(ending.key, ending.failure.description)] + answers.unanswered.filter { $0.key != ending.key }
        }
        return answers
    }

    /// - Parameter waiting: the number of records not verified, as the verification ended.
    private static func message(_ unanswered: [(key: String, why: String)], waiting: Int) -> String {
        let (key, why) = unanswered.first ?? ("", "")
        let alike = unanswered.count > 1 ? " (and \(unanswered.count - 1) more like this)" : ""
        let rest = waiting > 0 ? "; \(MessageFormat.count(waiting, "more was", plural: "more were")) not checked" : ""
        return
            "could not verify whether '\(PlainText.oneLine(key, limit: 60))' was deleted: \(why)\(alike). It is kept\(rest)"
    }

    private func isOfSource(_ failure: Failure) -> Bool {
        failure.reason != .invalidRequest && !isRefusal(failure) && sync.concernsSource(failure)
    }

    private func mayConcernSource(_ failure: Failure) -> Bool { sync.isTransient(failure) || isRefusal(failure) }

    /// Whether the origin refuses the credentials, and no rule applies. As they were valid for the listing, a 401 or 403
    /// concerns the record alone.
    private func isRefusal(_ failure: Failure) -> Bool {
        guard case .http = failure.reason, rule(for: failure) == nil else { return false }
        if case .signIn = SourceOutcome(failure, now: sync.engine.now) { return true }
        return false
    }

    private func rule(for failure: Failure) -> FailureRule? { resource.source.rule(for: failure, of: .fetch) }

    // MARK: Requests

    /// One record to verify.
    private struct RecordToVerify: Sendable {
        let key: String
        /// The parent's values for the names in the address, or why it has none.
        let values: Result<[String: String], BoundParent.Unbound>
    }

    private func recordsToVerify(
        _ keys: ArraySlice<String>, _ parents: [String: String]
    ) async throws(StoreError) -> [RecordToVerify] {
        guard let each = resource.forEach, resource.deletions.isPathBound else {
            return keys.map { RecordToVerify(key: $0, values: .success([:])) }
        }
        let wanted = Set(keys.compactMap { parents[$0] })
        let found = try await sync.engine.store.parents(
            ParentSelection(resource: resource.name, parent: each.resource, keys: wanted.sorted()))
        var values: [String: Result<[String: String], BoundParent.Unbound>] = [:]
        for parent in found {
            do { values[parent.key] = .success(try BoundParent(parent, by: each, pass: nil).values) } catch {
                values[parent.key] = .failure(error)
            }
        }
        let missing = BoundParent.Unbound(reason: "it is no longer stored")
        return keys.map { key in
            RecordToVerify(key: key, values: parents[key].flatMap { values[$0] } ?? .failure(missing))
        }
    }

    /// The answers to one batch of requests, in the order of the keys.
    private func answers(for records: [RecordToVerify]) async -> [(key: String, answer: Result<OriginState, Failure>)] {
        await withTaskGroup(of: (key: String, answer: Result<OriginState, Failure>).self) { group in
            for record in records { group.addTask { (record.key, await state(of: record)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.key < $1.key }
        }
    }

    /// What the origin answered about a record.
    private enum OriginState: Sendable, Hashable {
        case deleted, live
        case unclear(why: String)
    }

    private func state(of record: RecordToVerify) async -> Result<OriginState, Failure> {
        do throws(Failure) { return .success(try await ask(record)) } catch {
            // A rule of the config may treat this status otherwise; `empty` is about pages.
            if case .http(let answer) = error.reason, answer.statusClass == .gone,
                [nil, .empty].contains(rule(for: error)?.action)
            {
                return .success(.deleted)
            }
            return .failure(error)
        }
    }

    private func ask(_ record: RecordToVerify) async throws(Failure) -> OriginState {
        var values: [String: String]
        do { values = try record.values.get() } catch {
            throw Failure(
                .invalidRequest, phase: .notSent, detail: "its parent gives no value for the address: \(error.reason)")
        }
        values[Deletions.recordName] = record.key
        let url = try RequestRoute(.get, template, under: resource.source.baseURL, parameters: values).url
        do throws(Failure) {
            let answer = try await chain.process(url, sync.context)
            guard !answer.isWebPage(accepting: resource.source.headerFields[.accept]) else {
                throw Failure(.captivePortal, phase: .answered)
            }
            let document = answer.bytes.flatMap { try? JSONDocument($0, limits: resource.source.jsonLimits) }
            if let document, document.bytes.withUnsafeBytes({ resource.deletions.mark?.marks($0) ?? false }) {
                return .deleted
            }
            if document?.holds(record.key) ?? false { return .live }
            return .unclear(why: "the origin answered \(answer.response.status.code) without this record")
        } catch {
            throw error.quotingOrigin(hiding: credentials.removed).at(
                method: "GET", url: Redaction.url(url, also: resource.source.authorization.secretQueryNames))
        }
    }
}

extension Failure {
    /// Whether the origin answered, or the request cannot be made at all.
    fileprivate var isAnswered: Bool {
        switch reason {
        case .http, .invalidRequest: true
        default: false
        }
    }
}

extension JSONDocument {
    /// Whether the document may contain a record with `key`, in any structure: some value in it is the key.
    fileprivate func holds(_ key: String) -> Bool {
        var left = [self]
        while let value = left.popLast() {
            if let parts = value.elements ?? value.members?.map({ $0.value }) {
                left += parts
            } else if (value.string ?? value.digits) == key {
                return true
            }
        }
        return false
    }
}
