// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
package import SidingJSON

/// What an answer with a success status says of itself that it is not whole: an error in place of records, a search that timed
/// out, shards that failed, a request that was only accepted.
///
/// The records of such an answer are as good as any, but records that it lacks are not missing at the origin, and a write may
/// have been carried out in part or not at all.
package struct Shortfall: Sendable, Hashable {
    /// What the answer says, and where: "$.timed_out is true", "$.error says: too many".
    package private(set) var why: String
    package let kind: Kind

    package enum Kind: Sendable, Hashable {
        /// The request is accepted, and carried out later.
        case accepted
        /// There is an error, and no record beside it.
        case error
        /// It was carried out in part.
        case part
        /// Some entries of a batch were not carried out.
        case entries
    }

    /// Nil if it says no such thing.
    ///
    /// - Parameter path: where the records are.
    package init?(_ answer: PageAnswer, status: Int, recordsAt path: JSONPath = .root) {
        let found = Self.inBody(of: answer, recordsAt: path) ?? Self.statuses[status] ?? Self.inFields(of: answer)
        guard var found else { return nil }
        if answer.secrets.contains(where: { !$0.isEmpty && found.why.contains($0) }) {
            found.why = "it says so in words that repeat a credential"
        }
        self = found
    }

    /// What a line without a key says: a stream has no other place for it. Nil if it says no such thing.
    package init?(line: JSONDocument, secrets: Set<String>) {
        var answer = PageAnswer(headerFields: [:], recordCount: 0, envelope: [:], secrets: secrets)
        answer.surroundings = Envelope.surroundings(of: nil, in: line)
        guard let said = Shortfall(answer, status: 200) else { return nil }
        self.init(said.kind, "in a line that is not a record, \(said.why)")
    }

    init(_ kind: Kind, _ why: String) { (self.kind, self.why) = (kind, why) }

    /// Statuses of success by which an origin says that this is not all (RFC 9110 §15.3.3 and §15.3.7, RFC 4918 §11.1).
    private static let statuses = [
        202: Shortfall(.accepted, "202 Accepted"), 206: Shortfall(.part, "206 Partial Content"),
        207: Shortfall(.part, "207 Multi-Status"),
        // Only what has changed (RFC 3229 §10.4.1).
        226: Shortfall(.part, "226 IM Used"),
    ]

    // MARK: In the body

    private static func inBody(of answer: PageAnswer, recordsAt path: JSONPath) -> Shortfall? {
        func value(_ found: (path: JSONPath, value: EnvelopeScalar)) -> Value {
            Value(
                names: found.path.components(around: path).compactMap(folded), path: found.path, value: found.value,
                isOfWrite: answer.isOfWrite)
        }
        let values = answer.surroundings.map(value)
        let found = verdict(of: values, in: answer)
        guard found != nil, answer.isOfWrite else { return found }
        // What the request itself has is an echo.
        let sent = Set(answer.sentValues.map(value).map(\.asSent))
        return sent.isEmpty ? found : verdict(of: values.filter { !sent.contains($0.asSent) }, in: answer)
    }

    private static func verdict(of all: [Value], in answer: PageAnswer) -> Shortfall? {
        var values = all
        var others = Set(values.filter { $0.isIdentity || $0.saysOK }.map(\.holder))
        if answer.saysOnlyHowItWent { others.remove([]) }
        let tallies = Set(values.filter(\.isTally).map(\.holder))
        let isRecord =
            answer.isOfWrite && !answer.saysOnlyHowItWent && values.contains { $0.isIdentity && $0.names.count == 1 }
        var named = Set(values.filter(\.isName).map(\.holder))
        if answer.saysOnlyHowItWent { named.remove([]) }
        for place in values.indices {
            values[place].saysNothing = others.contains(values[place].holder)
            values[place].isInTally = tallies.contains(values[place].holder)
            values[place].isInRecord = isRecord
            values[place].isBesideName = named.contains(values[place].holder)
        }
        if let flag = values.first(where: { $0.isFlag || $0.saysPartial }) { return Shortfall(.part, flag.description) }
        guard answer.recordCount == 0 else { return errorBesideRecords(in: values, answer, others: others) }
        if let words = error(among: values) { return Shortfall(.error, words) }
        return values.first { $0.saysFailed && !answer.repeats($0.text) }
            .map { Shortfall(.error, $0.description) }
    }

    /// Beside records a text may be about one of them, or about an error that was handled. An error with a message of its own says that
    /// something was not read, as in GraphQL (https://spec.graphql.org/draft/#sec-Handling-Execution-Errors).
    ///
    /// - Parameter others: the objects that are records, or say that all is well.
    private static func errorBesideRecords(
        in values: [Value], _ answer: PageAnswer, others: Set<[JSONPath.Component]>
    ) -> Shortfall? {
        guard !answer.isOfWrite else { return nil }
        let error = values.first { value in
            guard value.names.contains(where: ["error", "errors"].contains), case .text = value.value,
                ["message", "reason"].contains(value.names.last)
                    || (value.names.last == "detail" && !value.isBesideName), let place = value.errorPath,
                value.isInObject(at: place)
            else { return false }
            return !others.contains(value.holder) && !others.contains(Array(place.components.dropLast()))
        }
        return error.flatMap { Self.error(among: [$0]) }.map { Shortfall(.part, $0) }
    }

    /// The words of the first error: "$.error says: RATE_LIMITED, too many".
    private static func error(among values: [Value]) -> String? {
        guard let first = values.first(where: \.isOfError), let place = first.errorPath else { return nil }
        let words = values.filter { $0.errorPath == place }.map { PlainText.oneLine($0.text, limit: 200) }
        return "\(place) says: \(words.prefix(3).joined(separator: ", "))"
    }

    /// A value around the records.
    private struct Value {
        /// The folded names on the way to it, those of elements left out.
        let names: [String]
        let path: JSONPath
        let value: EnvelopeScalar
        /// Whether it is from the answer to a write, whose root may be the record.
        let isOfWrite: Bool
        /// Whether its object is a record, such as the parent of the listing, or says that all is well: then what may be a state of
        /// the record, or a text for each answer, says nothing of this one.
        var saysNothing = false
        /// Whether its object counts what was done, and what was not.
        var isInTally = false
        /// Whether the root of the answer to a write is a record.
        var isInRecord = false
        /// Whether its object may be a record that has its identity under another name.
        var isBesideName = false

        /// The object that it is a member of.
        var holder: [JSONPath.Component] { Array(path.components.dropLast()) }

        /// Whether it is a number of what was done: `{"succeeded": 3, "failed": 1}`.
        var isTally: Bool { value.wholeNumber != nil && (names.last.map(FailureNames.tallies.contains) ?? false) }

        /// What an echo has in common with the request.
        var asSent: String { "\(names.last ?? "")=\(text)" }

        /// Whether it names a record in some way of the origin: `dag_run_id`, `sid`, `url`.
        var isName: Bool {
            names.last.map(FailureNames.isIdentity) ?? false
        }

        var isIdentity: Bool { names.last.map(FailureNames.identities.contains) ?? false }

        /// Whether it is a code or a flag of success.
        var saysOK: Bool {
            guard let name = names.last else { return false }
            if FailureNames.successes.contains(name) { return value.truth(orNumber: true) == true }
            guard FailureNames.codes.contains(name) || FailureNames.errorCodes.contains(name) else { return false }
            // A write that failed may be answered with the code of its transport.
            return value.wholeNumber.map { $0 == 0 || (!isOfWrite && (200..<300).contains($0)) }
                ?? FailureNames.noErrors.contains(ExtentName.folded(text))
        }

        var description: String { "\(path) is \(value.message)" }

        var text: String { (try? value.text(as: "")) ?? "" }

        /// Whether the objects that hold it concern the whole answer.
        private func isHeld(by count: Int) -> Bool {
            // An element of the root has no name.
            names.prefix(max(count, 0)).allSatisfy { Self.holders.contains($0) || ExtentName($0).isContainer }
        }

        /// The objects of searches, of SOAP and of OData around what concerns the whole answer.
        private static let holders: Set<String> = ["shards", "clusters", "envelope", "body", "d"]

        /// Whether it is a member of an object at that place, or of an element of the list there.
        func isInObject(at place: JSONPath) -> Bool {
            let rest = path.components.dropFirst(place.components.count)
            return rest.contains { if case .member = $0 { true } else { false } }
        }

        var isFlag: Bool {
            guard let name = names.last, isHeld(by: names.count - 1) else { return isOfFailures }
            // There it says something of the record: an order may be `partial`.
            let isOfRecord = isOfWrite && names.count == 1
            if FailureNames.successes.contains(name) {
                return !isOfWrite && !saysNothing && value.truth(orNumber: name.hasPrefix("is")) == false
            }
            // At the root it may be a state of the parent.
            if FailureNames.wholes.contains(name), names.count > 1 {
                return !isOfWrite && !saysNothing && value.truth(orNumber: false) == false
            }
            if FailureNames.errorFlags.contains(name) {
                return !isOfWrite && !saysNothing && value.truth(orNumber: false) == true
            }
            if FailureNames.flags.contains(name) {
                return value.truth(orNumber: false) == true || (value.wholeNumber ?? 0) > 0
                    || ExtentName.folded(text) == "omitted"
            }
            if FailureNames.failedParts.contains(name) || (isOfWrite && FailureNames.failedCounts.contains(name)) {
                return !isInRecord && (value.wholeNumber ?? 0) > 0
            }
            if names.dropLast().last == "clusters", ["skipped", "partial"].contains(name) {
                return (value.wholeNumber ?? 0) > 0
            }
            if FailureNames.heldAdjectives.contains(name), names.count > 1 {
                return value.truth(orNumber: false) == true
            }
            if FailureNames.adjectives.contains(name), !isOfRecord {
                // Without "is" a number may be a count.
                return value.truth(orNumber: name.hasPrefix("is")) == true
            }
            // At the root it may be a result: of a job, of a test.
            if name == "failed", names.count > 1 || (isOfWrite && isInTally && !isInRecord) {
                return (value.wholeNumber ?? 0) > 0
            }
            return isOfFailures
        }

        /// Whether it is part of the failures that an object such as `_shards` lists, or a list beside the records.
        private var isOfFailures: Bool {
            let isElement = if case .index? = path.components.last { true } else { false }
            if isElement, isHeld(by: names.count - 1), names.last.map(Self.isOutOfReach) ?? false {
                return !isOfWrite && !isNothing
            }
            if let place = names.firstIndex(where: FailureNames.notRead.contains), isHeld(by: place) {
                return !isOfWrite && !isNothing && isListed
            }
            guard let place = names.firstIndex(of: "failures"), isHeld(by: place), !isNothing else { return false }
            return place > 0 || (isListed && !isInRecord)
        }

        private static func isOutOfReach(_ name: String) -> Bool {
            name == "unreachable"
                || FailureNames.outOfReach.contains(where: name.hasPrefix)
                    && FailureNames.partsOfOrigin.contains(where: name.hasSuffix)
        }

        /// Whether it is in a list or object at the root, not a member of the root.
        private var isListed: Bool {
            if case .index? = path.components.last { true } else { names.count > 1 }
        }

        /// Whether it is a text about the answer that says that it is partial.
        var saysPartial: Bool {
            guard case .text(let text) = value, let name = names.last else { return false }
            if !isOfWrite, isHeld(by: names.count - 1), PartialWords.isOfWarning(name),
                text.lowercased().contains("timed out")
            {
                return true
            }
            // Notion: `"request_status": {"type": "incomplete"}`
            if !isOfWrite, names.count == 2, names[0].hasSuffix("status"), ["type", "state"].contains(name),
                ExtentName.folded(text) == "incomplete"
            {
                return true
            }
            guard !(isOfWrite && (names.count == 1 || PartialWords.isOfMessage(name))),
                PartialWords.areIn(text, isMessage: PartialWords.isOfMessage(name)),
                PartialWords.mayBeIn(name) || (names.dropLast().last.map(PartialWords.isOfMessage) ?? false)
            else { return false }
            return names.dropLast().allSatisfy {
                $0 == "shards" || ExtentName($0).isContainer || PartialWords.mayBeIn($0)
            }
        }

        /// The names of errors. A record may have some of them, such as a job.
        private var errors: Set<String> {
            saysNothing || isInRecord || (isOfWrite ? isBesideName : saysNoneFound)
                ? FailureNames.errors : FailureNames.errorsBesideList
        }

        /// Whether it says that there are no records, as some origins say in the place of an error.
        private var saysNoneFound: Bool {
            value.wholeNumber.map { $0 == 404 || $0 == 410 || (200..<300).contains($0) }
                ?? text.lowercased().hasPrefix("no ")
        }

        /// Whether it is an error, or a part of one: not null, false, empty or 0.
        var isOfError: Bool {
            guard let place = names.firstIndex(where: errors.contains) else { return false }
            return isHeld(by: place) && !isNothing
        }

        /// Whether it is a text, a flag or a status code by which an answer without records says that it failed. Some origins say 404
        /// of an empty list.
        var saysFailed: Bool {
            guard let name = names.last, isHeld(by: names.count - 1), !isInRecord else { return false }
            if isOfWrite, saysRefused(name) { return true }
            guard !saysNothing, !(isOfWrite && isBesideName) else { return false }
            if let code = value.wholeNumber {
                let isOfNone = [404, 410].contains(code) && !isOfWrite
                return FailureNames.codes.contains(name) && (400...599).contains(code) && !isOfNone
            }
            // An exception of AWS.
            if path.components.last == .member("__type") {
                return ["Exception", "Error", "Fault"].contains(where: text.hasSuffix)
            }
            guard FailureNames.states.contains(name) else { return false }
            let state = ExtentName.folded(text)
            if isOfWrite { return FailureNames.refusedStates.contains(state) }
            return FailureNames.failedStates.contains(state)
                || (!isBesideName && FailureNames.openStates.contains(state))
        }

        /// Whether it is a flag that a write was not carried out.
        private func saysRefused(_ name: String) -> Bool {
            if FailureNames.successes.contains(name) {
                let mayBeNumber = name.hasPrefix("is") || ["success", "ok"].contains(name)
                return value.truth(orNumber: mayBeNumber) == false
            }
            if ["status", "result"].contains(name), case .bool(let truth) = value { return !truth }
            return FailureNames.errorFlags.contains(name) && value.truth(orNumber: false) == true
        }

        /// The path of the error that it is part of; nil for nothing.
        var errorPath: JSONPath? {
            guard isOfError,
                let place = path.components.firstIndex(where: { folded($0).map(errors.contains) ?? false })
            else { return nil }
            return path.components[...place].reduce(.root) { $0.appending($1) }
        }

        private var isNothing: Bool { value.saysNoError }
    }

    private static func folded(_ step: JSONPath.Component) -> String? {
        if case .member(let name) = step { ExtentName.folded(name) } else { nil }
    }
}
