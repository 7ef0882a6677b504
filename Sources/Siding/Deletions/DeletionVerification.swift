internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// Asks the origin for each record that a complete listing lacked, where the config says at which address records are: 404
/// and 410 that no rule of `errors:` takes for something else say that it is gone, and so does the mark of deleted ones; any other
/// answer with the record says that it is there.
struct DeletionVerification: Sendable {
    let sync: ResourceSync
    /// The address of a record below the source's base URL.
    let template: String
    private let chain: any Node<HTTPURL, LoadedResponse>
    private let counter = RequestCounter()

    /// What is there is asked about again after so long.
    static let patience = Duration.seconds(86_400)
    /// A run asks about so many records at most; the next one goes on with the others.
    static let mostPerRun = 1_000
    /// So many questions at once.
    private static let width = 4

    /// Nil where the config does not want it.
    init?(_ sync: ResourceSync) {
        guard sync.resource.deletions.byAbsence, let template = sync.resource.deletions.recordPath else { return nil }
        (self.sync, self.template) = (sync, template)
        let (engine, source) = (sync.engine, sync.resource.source)
        let transport = CountingTransport(sync.transport, counter: counter)
        chain = ChainAssembly(
            to: source, for: .fetch, over: transport, within: sync.budget, connectivity: engine.connectivity,
            jitter: engine.jitter, clock: engine.clock, wallClock: engine.wallClock
        ).question(upTo: source.transport.maxBody)
    }

    private var resource: AnyResource { sync.resource }

    /// Asks about the missing records that were not asked about lately, and deletes those that are gone once all were asked about.
    ///
    /// If so many are missing that the mass-deletion guard would block their deletion, none is asked about: the answers could change
    /// nothing. A failure of the source ends the questions; a record without an answer stays, and holds up none of the others.
    func run(_ report: ResourceSync.Report) async throws(StoreError) -> ResourceSync.Report {
        let store = sync.engine.store
        // A record below its parent may have moved to another while one pass went on.
        let missing = try await store.unconfirmedDeletions(
            of: resource.name, passes: resource.deletions.isPathBound ? 2 : 1,
            askedBefore: sync.engine.wallClock.now + (.zero - Self.patience))
        guard !missing.keys.isEmpty else { return report }
        var report = report
        if try await store.isBlocked(deleting: missing.unconfirmed, of: resource.name, terms) {
            report.extra.withheld += missing.unconfirmed
            return report
        }
        let left = missing.keys.count - Self.mostPerRun
        if left > 0 {
            report.line.notes.append(
                "\(left) more missing records were not verified: a run asks about \(Self.mostPerRun) at most, and the next "
                    + "one goes on"
            )
        }
        var outcome = try await ask(missing)
        // A source in trouble may call a record gone that lives: the next run asks about it again.
        if outcome.ending != nil { outcome.isGone = outcome.isGone.filter { !$0.value } }
        report.line.counters += try await store.apply(
            VerificationFindings(
                resource: resource.name, lease: sync.lease, run: sync.run, isGone: outcome.isGone,
                requests: counter.take(), terms: terms))
        if let ending = outcome.ending {
            let lesson = resource.source.lesson(of: ending, .fetch, now: sync.engine.wallClock.now)
            try await store.learn(lesson, of: resource.source.name)
        }
        if !outcome.unanswered.isEmpty {
            let waiting = outcome.ending == nil ? 0 : missing.keys.count - outcome.unanswered.count
            report.warn(Self.words(outcome.unanswered, waiting: waiting))
        }
        return report
    }

    /// The answers to all questions of a run.
    private struct Outcome {
        var isGone: [String: Bool] = [:]
        /// Those that were not answered clearly, and why; the one that ended the questions first.
        var unanswered: [(key: String, why: String)] = []
        /// The failure of the source that ended the questions.
        var ending: Failure?
    }

    private func ask(_ missing: UnconfirmedDeletions) async throws(StoreError) -> Outcome {
        var (outcome, inARow) = (Outcome(), 0)
        var keys = missing.keys.prefix(Self.mostPerRun)
        while !keys.isEmpty, outcome.ending == nil {
            let answers = await answers(of: try await questions(keys.prefix(Self.width), missing.parents))
            keys = keys.dropFirst(Self.width)
            outcome.isGone.merge(answers.isGone) { $1 }
            outcome.unanswered += answers.unclear + answers.failures.map { ($0.key, $0.failure.description) }
            inARow = answers.isGone.isEmpty ? inARow + answers.failures.count { speaksOfSource($0.failure) } : 0
            let ending =
                inARow >= Self.mostInARow ? answers.failures.first : answers.failures.first { isOfSource($0.failure) }
            guard let ending else { continue }
            outcome.ending = ending.failure
            outcome.unanswered =
                [(ending.key, ending.failure.description)] + outcome.unanswered.filter { $0.key != ending.key }
        }
        return outcome
    }

    /// - Parameter waiting: how many others stay, as the questions have ended.
    private static func words(_ unanswered: [(key: String, why: String)], waiting: Int) -> String {
        let (key, why) = unanswered.first ?? ("", "")
        let alike = unanswered.count > 1 ? " (and \(unanswered.count - 1) more like this)" : ""
        let rest = waiting > 0 ? "; \(waiting) more \(waiting == 1 ? "was" : "were") not checked" : ""
        return
            "could not verify whether '\(PlainText.oneLine(key, limit: 60))' was deleted: \(why)\(alike). It is kept\(rest)"
    }

    /// So many failures without an answer between say that it is the source.
    private static let mostInARow = 8

    private func isOfSource(_ failure: Failure) -> Bool {
        failure.reason != .invalidRequest && !isRefusal(failure) && sync.concernsSource(failure)
    }

    private func speaksOfSource(_ failure: Failure) -> Bool { sync.isTransient(failure) || isRefusal(failure) }

    /// Whether the origin refuses the credentials, and no rule says what that means: as they were good for the listing, that is
    /// about the record, be it a 401 or a 403.
    private func isRefusal(_ failure: Failure) -> Bool {
        guard case .http = failure.reason, rule(for: failure) == nil else { return false }
        if case .signIn = SourceOutcome(failure, now: sync.engine.wallClock.now) { return true }
        return false
    }

    private func rule(for failure: Failure) -> FailureRule? { resource.source.rule(for: failure, of: .fetch) }

    private var terms: DeletionTerms {
        DeletionTerms(resource.deletions, isStable: resource.isStable, isAccepted: sync.options.acceptsDeletes)
    }

    // MARK: Asking

    private struct Question: Sendable {
        let key: String
        /// What the record's parent gives for the names in the address; nil where it gives nothing.
        let values: [String: String]?
    }

    private func questions(
        _ keys: ArraySlice<String>, _ parents: [String: String]
    ) async throws(StoreError) -> [Question] {
        guard let each = resource.forEach, resource.deletions.isPathBound else {
            return keys.map { Question(key: $0, values: [:]) }
        }
        let wanted = Set(keys.compactMap { parents[$0] })
        let found = try await sync.engine.store.parents(
            ParentSelection(for: resource.name, of: each.resource, keys: wanted.sorted()))
        var values: [String: [String: String]] = [:]
        for parent in found { values[parent.key] = (try? BoundParent(parent, by: each, round: nil))?.values }
        return keys.map { key in Question(key: key, values: parents[key].flatMap { values[$0] }) }
    }

    private struct Answers: Sendable {
        /// An answer that does not tell leaves the record, and is not asked for again on the same day.
        var isGone: [String: Bool] = [:]
        /// What did not tell, and why.
        var unclear: [(key: String, why: String)] = []
        /// What led to no answer.
        var failures: [(key: String, failure: Failure)] = []
    }

    private func answers(of questions: [Question]) async -> Answers {
        await withTaskGroup(of: (String, Result<Word, Failure>).self) { group in
            for question in questions { group.addTask { (question.key, await word(on: question)) } }
            var answers = Answers()
            for await (key, result) in group {
                switch result {
                case .success(let word):
                    answers.isGone[key] = word == .gone
                    if case .unclear(let why) = word { answers.unclear.append((key, why)) }
                case .failure(let failure): answers.failures.append((key, failure))
                }
            }
            answers.unclear.sort { $0.key < $1.key }
            answers.failures.sort { $0.key < $1.key }
            return answers
        }
    }

    /// What the origin says of a record.
    private enum Word: Sendable, Hashable {
        case gone, there
        case unclear(why: String)
    }

    private func word(on question: Question) async -> Result<Word, Failure> {
        do throws(Failure) { return .success(try await ask(question)) } catch {
            // The config may say that such an answer means something else.
            if case .http(let answer) = error.reason, answer.statusClass == .gone, rule(for: error) == nil {
                return .success(.gone)
            }
            return .failure(error)
        }
    }

    private func ask(_ question: Question) async throws(Failure) -> Word {
        guard var values = question.values else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "its parent gives no value for the address")
        }
        values[Deletions.recordName] = question.key
        let url = try Route(.get, template, under: resource.source.baseURL, parameters: values).url
        let context = ChainContext(
            requestID: "run \(sync.run) \(resource.name)", logger: sync.engine.logger, isResendable: true)
        do throws(Failure) {
            let answer = try await chain.process(url, context)
            let record = answer.bytes.flatMap { try? JSONDocument($0, limits: resource.source.jsonLimits) }
            if let record, record.bytes.withUnsafeBytes({ resource.deletions.mark?.marks($0) ?? false }) {
                return .gone
            }
            if record?.holds(question.key) ?? false { return .there }
            return .unclear(why: "the origin answered \(answer.response.status.code) without this record")
        } catch {
            throw error.at(
                method: "GET", url: Redaction.url(url, also: resource.source.authorization.secretQueryNames))
        }
    }
}

extension JSONDocument {
    /// Whether a record with `key` can be in it, in whatever shape: some value in it is the key.
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
