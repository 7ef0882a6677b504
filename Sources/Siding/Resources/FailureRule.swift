public import HTTPTypes
public import SidingChain
public import SidingJSON

/// What to do with one sort of failure of a source, in the place of the built-in table: one entry of `errors:`.
///
/// The first rule that fits wins; where none does, ``Failure/retention(of:)`` has the word.
public struct FailureRule: Sendable, Hashable {
    public let condition: Condition
    public let action: Action
    /// Nil for fetches and writes alike.
    ///
    /// A write that may not be sent twice is sent again only by a rule that is for writes alone, and only upon an answer:
    /// the rule says then that the origin did not act.
    public let subject: Subject?
    /// Where the rule stands, for the person who reads what became of a request, such as `siding.yaml:28:9`.
    public let place: String

    /// - Throws: ``Failure/Reason/invalidRequest`` where the parts do not go together; its detail says why.
    public init(
        when condition: Condition, do action: Action, on subject: Subject? = nil, place: String = "a rule"
    ) throws(Failure) {
        (self.condition, self.action, self.subject, self.place) = (condition, action, subject, place)
        guard let fault else { return }
        throw Failure(.invalidRequest, phase: .notSent, detail: fault)
    }

    /// What a rule is for.
    public enum Subject: String, Sendable, CaseIterable {
        case fetch, write
    }

    /// What is done.
    public enum Action: String, Sendable, CaseIterable {
        /// Kept and tried again; the try does not count. At most once a minute.
        case queue
        /// Kept and tried again; the try counts and lengthens the wait.
        case retry
        /// As if the origin had answered 429: the source is left alone for its `Retry-After`, or for a minute.
        case rateLimited = "rate_limited"
        /// As if the origin had answered 401.
        case refreshToken = "refresh_token"
        /// A fetch: the listing ends here, incomplete, so that nothing counts as deleted, and the run goes on.
        case ignore
        /// A fetch: the answer is set aside in the quarantine, and the listing ends here, incomplete, as with ``ignore``.
        case quarantine
        /// A write waits for a person; a fetch fails.
        case park
        /// The same: no write is ever dropped.
        case fail
        /// A fetch: the listing starts anew at its first page, once; a second time it fails.
        case resetCursor = "reset_cursor"
    }

    /// What a failure must be like.
    public enum Condition: Sendable, Hashable {
        case answer(Answer)
        /// It ended without an answer that could be used, for one of these reasons.
        case failure(Set<FailureName>)
    }

    /// An answer with all of these traits; at least one is given.
    public struct Answer: Sendable, Hashable {
        /// Empty for any status, successes included, where a header field or the body tells.
        public var statuses: Set<Int>
        public var header: Trait<HTTPField.Name>?
        /// Looked for in JSON of at most ``HTTPFailure/bodyLimit`` bytes.
        public var body: Trait<JSONPath>?

        public init(
            statuses: Set<Int> = [], header: Trait<HTTPField.Name>? = nil, body: Trait<JSONPath>? = nil
        ) {
            (self.statuses, self.header, self.body) = (statuses, header, body)
        }
    }

    /// A text at some place of an answer. Numbers and truth values are compared as they are written.
    public struct Trait<Place: Sendable & Hashable>: Sendable, Hashable {
        public var place: Place
        public var test: TextTest

        public init(at place: Place, _ test: TextTest) {
            (self.place, self.test) = (place, test)
        }
    }

    /// What a text is asked.
    public enum TextTest: Sendable, Hashable {
        case equals(String)
        case contains(String)

        func holds(for text: String) -> Bool {
            switch self {
            case .equals(let wanted): text == wanted
            case .contains(let part): text.contains(part)
            }
        }
    }

    /// Failures that a rule may name: ``Failure/Reason/name`` of those where a person's word can be of use.
    public enum FailureName: String, Sendable, CaseIterable {
        case timeout, cantConnectToHost, temporaryDNS, hostNotFound, tlsUntrusted, tlsHandshake, proxyUnreachable
        case proxyAuthentication, proxyFault, connectionLost, notProcessed, protocolViolation, truncated, badContent
        case tooLarge, redirectRefused, contract
    }
}

extension FailureRule {
    /// Why the rule cannot be; nil for a good one.
    private var fault: String? {
        if subject == .write, isForFetchesOnly { return "\(action.rawValue) is for fetches, and the rule is on writes" }
        guard case .answer(let answer) = condition else {
            return action.needsAnswer ? "\(action.rawValue) takes an answer of the origin" : nil
        }
        guard answer.header == nil, answer.body == nil else { return nil }
        if answer.statuses.isEmpty { return "the rule has no condition" }
        return answer.statuses.contains { (200..<300).contains($0) }
            ? "the rule would take every success for a failure: a header field or the body must tell" : nil
    }

    private var isForFetchesOnly: Bool { [.ignore, .quarantine, .resetCursor].contains(action) }

    func isFor(_ subject: Subject) -> Bool {
        self.subject.map { $0 == subject } ?? (subject == .fetch || !isForFetchesOnly)
    }

    /// Whether a success may be a failure by this rule.
    var looksAtSuccesses: Bool {
        guard case .answer(let answer) = condition else { return false }
        return answer.statuses.isEmpty || answer.statuses.contains { (200..<300).contains($0) }
    }

    func fits(_ envelope: ErrorEnvelope) -> Bool {
        if case .answer(let answer) = condition { answer.fits(envelope) } else { false }
    }

    func fits(_ reason: Failure.Reason) -> Bool {
        guard case .failure(let names) = condition else { return false }
        return names.contains { $0.rawValue == reason.name }
    }
}

extension FailureRule.Action {
    fileprivate var needsAnswer: Bool {
        switch self {
        case .rateLimited, .refreshToken, .ignore, .quarantine, .resetCursor: true
        case .queue, .retry, .park, .fail: false
        }
    }
}

extension FailureRule.Answer {
    fileprivate func fits(_ envelope: ErrorEnvelope) -> Bool {
        guard statuses.isEmpty || statuses.contains(envelope.response.status.code) else { return false }
        if let header, !(envelope.response.headerFields[header.place].map(header.test.holds) ?? false) { return false }
        guard let body else { return true }
        return envelope.document?.texts(at: body.place).contains(where: body.test.holds) ?? false
    }
}

extension JSONDocument {
    /// The scalars at `path` as text; of an array that the path means each element of, all of them.
    fileprivate func texts(at path: JSONPath) -> [String] {
        guard let value = value(at: path.withoutEach) else { return [] }
        let values = path == path.withoutEach ? [value] : value.elements ?? []
        return values.compactMap { $0.string ?? $0.digits ?? $0.bool.map(String.init) ?? ($0.isNull ? "null" : nil) }
    }
}
