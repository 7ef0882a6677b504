// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain
package import SidingJSON

/// What to do with one kind of failure of a source, instead of the built-in table: one entry of `errors:`.
///
/// The first matching rule wins; if none matches, ``Failure/retention(of:)`` decides.
package struct FailureRule: Sendable, Hashable {
    package let condition: Condition
    package let action: Action
    /// Nil for both fetches and writes.
    ///
    /// A write that may not be sent twice is sent again only if the rule is for writes only and an answer arrived: such a rule
    /// states that the origin did not act.
    package let subject: Subject?
    /// Where the rule is written, such as `siding.yaml:28:9`; shown in messages.
    package let place: String

    /// - Throws: ``Failure/Reason/invalidRequest`` if the parts contradict each other; the detail says why.
    package init(
        when condition: Condition, do action: Action, on subject: Subject? = nil, place: String = "a rule"
    ) throws(Failure) {
        (self.condition, self.action, self.subject, self.place) = (condition, action, subject, place)
        guard let fault else { return }
        throw Failure(.invalidRequest, phase: .notSent, detail: fault)
    }

    /// The kind of request that a rule applies to.
    package enum Subject: String, Sendable, CaseIterable {
        case fetch, write
    }

    /// What a rule does.
    package enum Action: String, Sendable, CaseIterable {
        /// Keeps the request and retries it at most once a minute; the attempt does not count.
        case queue
        /// Keeps the request and retries it; the attempt counts and lengthens the wait.
        case retry
        /// Treats the failure as a 429: closes the source's gate for its `Retry-After`, or for a minute.
        case rateLimited = "rate_limited"
        /// Treats the failure as a 401.
        case refreshToken = "refresh_token"
        /// Ends a listing incomplete, so that nothing counts as deleted; the run continues. Of a rule for writes: takes a success
        /// for a delivery, whatever it says.
        case ignore
        /// Fetches only: keeps the answer in the quarantine and ends the listing incomplete, as with ``ignore``.
        case quarantine
        /// Fetches only: stores the records of a success and goes on; the listing ends incomplete.
        case partial
        /// Fetches only: takes the answer for a page without records.
        case empty
        /// Parks a write; fails a fetch.
        case park
        /// Same as ``park``: no write is ever dropped.
        case fail
        /// Fetches only: restarts the listing at its first page, once; the second time it fails.
        case resetCursor = "reset_cursor"
    }

    /// Which failures a rule matches.
    package enum Condition: Sendable, Hashable {
        case answer(Answer)
        /// The request ended without a usable answer, for one of these reasons.
        case failure(Set<FailureName>)
    }

    /// Matches an answer with all of these traits; at least one is given.
    package struct Answer: Sendable, Hashable {
        /// Empty matches any status, even a success, if a header field or the body is tested.
        package var statuses: Set<Int>
        package var header: Trait<HTTPField.Name>?
        /// Tested in JSON of at most ``HTTPFailure/bodyLimit`` bytes, in the answer to a write of any size.
        package var body: Trait<JSONPath>?

        package init(statuses: Set<Int> = [], header: Trait<HTTPField.Name>? = nil, body: Trait<JSONPath>? = nil) {
            (self.statuses, self.header, self.body) = (statuses, header, body)
        }
    }

    /// A test of one text in an answer. Numbers and Booleans are compared in their written form.
    package struct Trait<Place: Sendable & Hashable>: Sendable, Hashable {
        package var place: Place
        package var test: TextTest

        package init(at place: Place, _ test: TextTest) {
            (self.place, self.test) = (place, test)
        }
    }

    /// How a text is tested.
    package enum TextTest: Sendable, Hashable {
        case equals(String)
        case contains(String)
        /// Whether there is a value other than null, whatever it is.
        case exists(Bool)

        /// - Parameter texts: the values at the place; nil stands for one that is no text, such as an object.
        func holds(for texts: [String?]) -> Bool {
            switch self {
            case .equals(let wanted): texts.contains(wanted)
            case .contains(let part): texts.contains { $0?.contains(part) ?? false }
            case .exists(let isThere): texts.isEmpty != isThere
            }
        }
    }

    /// The failures that a rule may name: those names of ``Failure/Reason/name`` that a rule can usefully override.
    package enum FailureName: String, Sendable, CaseIterable {
        case timeout, cantConnectToHost, temporaryDNS, hostNotFound, tlsUntrusted, tlsHandshake, proxyUnreachable
        case proxyAuthentication, proxyFault, connectionLost, notProcessed, protocolViolation, truncated, badContent
        case tooLarge, redirectRefused, contract
    }
}

extension FailureRule {
    /// Why the rule is invalid; nil if it is valid.
    private var fault: String? {
        if subject == .write, action.isForFetchesOnly {
            return "\(action.rawValue) is for fetches only, but the rule is for writes"
        }
        guard case .answer(let answer) = condition else {
            return action.needsAnswer ? "\(action.rawValue) needs a condition on the answer" : nil
        }
        if keepsSuccess, !answer.statuses.allSatisfy(Self.isSuccess) {
            let whom = subject == .write ? " of a write" : ""
            return "\(action.rawValue)\(whom) is for answers with a success status: the others are failures"
        }
        guard answer.header == nil, answer.body == nil else { return nil }
        if answer.statuses.isEmpty { return "the rule has no condition" }
        guard !isDelivery, !answer.statuses.isDisjoint(with: usualSuccesses) else { return nil }
        return "the rule would treat every success as a failure: test a header field or the body"
    }

    private static func isSuccess(_ status: Int) -> Bool { (200..<300).contains(status) }

    /// The statuses by which origins usually say that all is well. A fetch that is answered 202 or 204 has no page.
    private var usualSuccesses: Set<Int> { isFor(.write) ? [200, 201, 204] : [200] }

    /// Whether it takes a success for a delivery, so that it makes no failure.
    private var isDelivery: Bool { subject == .write && action == .ignore }

    func isFor(_ subject: Subject) -> Bool {
        self.subject.map { $0 == subject } ?? (subject == .fetch || !(action.isForFetchesOnly || action == .ignore))
    }

    /// Whether the rule can match a success.
    var looksAtSuccesses: Bool {
        guard case .answer(let answer) = condition else { return false }
        return answer.statuses.isEmpty || answer.statuses.contains(where: Self.isSuccess)
    }

    /// What it says: "siding.yaml:28:9 says partial".
    var message: String { "\(place) says \(action.rawValue)" }

    /// Whether the rule looks into the body of an answer.
    var readsBody: Bool { if case .answer(let answer) = condition { answer.body != nil } else { false } }

    /// Whether it is about successes alone, which stay successes: the page is read, the write is delivered.
    var keepsSuccess: Bool { isDelivery || action == .partial }

    func fits(_ document: JSONDocument?, _ reply: ChainResponse<[UInt8]>) -> Bool {
        guard case .answer(let answer) = condition else { return false }
        if keepsSuccess, reply.response.status.kind != .successful { return false }
        return answer.fits(document, reply.response)
    }

    func fits(_ reason: Failure.Reason) -> Bool {
        guard case .failure(let names) = condition else { return false }
        return names.contains { $0.rawValue == reason.name }
    }
}

extension FailureRule.Action {
    fileprivate var needsAnswer: Bool {
        switch self {
        case .rateLimited, .refreshToken, .ignore, .quarantine, .partial, .empty, .resetCursor: true
        case .queue, .retry, .park, .fail: false
        }
    }

    fileprivate var isForFetchesOnly: Bool { [.quarantine, .partial, .empty, .resetCursor].contains(self) }
}

extension FailureRule.Answer {
    fileprivate func fits(_ document: JSONDocument?, _ response: HTTPResponse) -> Bool {
        guard statuses.isEmpty || statuses.contains(response.status.code) else { return false }
        if let header, !header.test.holds(for: [response.headerFields[header.place]].filter { $0 != nil }) {
            return false
        }
        guard let body else { return true }
        return document.map { body.test.holds(for: $0.texts(at: body.place, body.test)) } ?? false
    }
}

extension JSONDocument {
    /// The scalars at `path` as text, and nil for arrays and objects. A null is a text, except to ``FailureRule/TextTest/exists(_:)``.
    fileprivate func texts(at path: JSONPath, _ test: FailureRule.TextTest) -> [String?] {
        let values = values(at: path)
        if case .exists = test { return values.filter { !$0.isNull }.map(\.text) }
        return values.map(\.text)
    }

    private var text: String? { string ?? digits ?? bool.map(String.init) ?? (isNull ? "null" : nil) }
}
