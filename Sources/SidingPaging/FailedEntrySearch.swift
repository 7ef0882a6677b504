// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON

/// Looks for entries that failed in the answer to a batch.
struct FailedEntrySearch {
    let request: [JSONDocument]
    /// The values of the request, each with its name: an answer may repeat them.
    private lazy var sent = Set(request.flatMap { Self.values(in: $0, depth: 8) })

    /// The folded names of its lists: those of the answer hold what became of their entries.
    private lazy var sentLists = Set(
        request.flatMap { $0.members ?? [] }.filter { $0.value.elements != nil }.map { ExtentName.folded($0.name) })

    init(request: [JSONDocument]) {
        self.request = request
    }

    /// - Parameter place: a list of entries, or an object around lists.
    mutating func failure(around place: JSONDocument, at path: JSONPath) -> String? {
        if let entries = place.elements { return failure(among: entries, at: path) }
        guard let members = place.members else { return nil }
        let (isRecord, isDone) = (Self.isRecord(members), Self.saysDone(members))
        for (name, value) in members {
            let (folded, here) = (ExtentName.folded(name), path.appending(.member(name)))
            if isOfFailed(folded, value, inRecord: isRecord, besideDone: isDone), !isSent(folded, value) {
                return "\(here) is \(EnvelopeScalar(value)?.message ?? "not empty")"
            }
            // The lists of a record are its own.
            let isOfResults = ["results", "responses", "syncstatus"].contains(folded)
            if isRecord, !isOfResults {
                // A list that was sent comes back as records, whose errors are those of their writes.
                guard sentLists.contains(folded), let entries = value.elements else { continue }
                for (index, entry) in entries.enumerated() {
                    let place = here.appending(.index(index))
                    if let members = entry.members, let failure = failure(in: members, at: place, isRecord: true) {
                        return failure
                    }
                }
                continue
            }
            if let entries = value.elements {
                if let failure = failure(among: entries, at: here, ofResults: isOfResults) { return failure }
            } else if path.components.isEmpty, let inner = value.members {
                if let failure = failure(around: value, at: here) { return failure }
                for (name, entry) in inner where isOfResults {
                    if let failure = failure(of: entry, at: here.appending(.member(name)), ofResults: true) {
                        return failure
                    }
                }
            }
        }
        return nil
    }

    /// - Parameter isOfResults: whether they are called results, so that a flag of success is no column of theirs.
    mutating func failure(
        among entries: [JSONDocument], at path: JSONPath, ofResults isOfResults: Bool = false
    ) -> String? {
        for (index, entry) in entries.enumerated() {
            if let failure = failure(of: entry, at: path.appending(.index(index)), ofResults: isOfResults) {
                return failure
            }
        }
        return nil
    }

    // MARK: Lists of what failed

    /// Whether a member counts or lists entries that failed.
    ///
    /// - Parameter isDone: whether something beside it was done: errors alone refuse the whole batch.
    private func isOfFailed(
        _ name: String, _ value: JSONDocument, inRecord isRecord: Bool, besideDone isDone: Bool
    ) -> Bool {
        let isNamed = FailureNames.ofFailedEntries.contains(where: name.hasPrefix)
        if let elements = value.elements {
            if isNamed { return elements.contains { isRecord ? $0.members != nil : !$0.isNull } }
            return !isRecord && isDone && name.hasSuffix("errors") && value.hasErrors
        }
        guard !isRecord else { return false }
        if value.members != nil { return FailureNames.unprocessed.contains(name) && value.hasErrors }
        let isNumber =
            FailureNames.failedNumbers.contains(name)
            || (isNamed && FailureNames.entryWords.contains(where: name.hasSuffix))
        return isNumber && (EnvelopeScalar(value)?.wholeNumber ?? 0) > 0
    }

    /// Whether some member lists or counts what was done, and none says that nothing was.
    private static func saysDone(_ members: [(name: String, value: JSONDocument)]) -> Bool {
        let named = members.map { (name: ExtentName.folded($0.name), value: $0.value) }
        let saysNot = named.contains { member in
            FailureNames.successes.contains(member.name)
                && EnvelopeScalar(member.value)?.truth(orNumber: true) == false
        }
        return !saysNot
            && named.contains { member in
                if let elements = member.value.elements {
                    return !member.name.hasSuffix("errors") && elements.contains { $0.members != nil }
                }
                return FailureNames.doneWords.contains(where: member.name.contains)
                    && (EnvelopeScalar(member.value)?.wholeNumber ?? 0) > 0
            }
    }

    // MARK: Entries

    private static let parts: Set<String> = [
        "result", "response", "body", "index", "create", "update", "delete", "upsert", "insert",
    ]

    /// What an entry says of itself, in an object of its own too: `{"index": {"error": …}}`.
    private mutating func failure(
        of entry: JSONDocument, at path: JSONPath, ofResults isOfResults: Bool = false
    ) -> String? {
        guard let members = entry.members else { return nil }
        let isResult = isOfResults && isOutcome(members)
        for (name, value) in members where isResult {
            let folded = ExtentName.folded(name)
            guard Self.saysRefused(folded, value), !isSent(folded, value) else { continue }
            return "\(path.appending(.member(name))) is \(EnvelopeScalar(value)?.message ?? "false")"
        }
        let isRecord = Self.isRecord(members) && !isAboutSent(members)
        if let failure = failure(in: members, at: path, isRecord: isRecord) { return failure }
        for (name, value) in members where Self.parts.contains(ExtentName.folded(name)) {
            guard let inner = value.members else { continue }
            let isRecord = Self.isRecord(inner)
            if let failure = failure(in: inner, at: path.appending(.member(name)), isRecord: isRecord) {
                return failure
            }
        }
        return nil
    }

    private mutating func failure(
        in members: [(name: String, value: JSONDocument)], at path: JSONPath, isRecord: Bool
    ) -> String? {
        for (name, value) in members {
            let folded = ExtentName.folded(name)
            guard saysFailed(folded, value, ofRecord: isRecord), !isSent(folded, value) else { continue }
            return "\(path.appending(.member(name))) is \(EnvelopeScalar(value)?.message ?? "not empty")"
        }
        return nil
    }

    /// Flags and states of a record are its own.
    private func saysFailed(_ name: String, _ value: JSONDocument, ofRecord isRecord: Bool) -> Bool {
        if ["error", "errors", "exception", "validationerrors"].contains(name)
            || (!isRecord && name == "fault")
        {
            return value.hasErrors
        }
        guard !isRecord, let scalar = EnvelopeScalar(value) else { return false }
        if FailureNames.errorsBesideList.contains(name) {
            return !scalar.saysNoError && !(200..<300).contains(scalar.wholeNumber ?? 0)
        }
        if FailureNames.codes.contains(name), let code = scalar.wholeNumber { return (400...599).contains(code) }
        if Self.saysRefused(name, value) { return true }
        if FailureNames.errorFlags.contains(name) { return scalar.truth(orNumber: true) == true }
        guard FailureNames.states.contains(name) else { return false }
        if case .bool(let truth) = scalar { return !truth }
        if let code = scalar.wholeNumber ?? scalar.leadingNumber { return (400...599).contains(code) }
        guard case .text(let text) = scalar else { return false }
        return FailureNames.failedEntryStates.contains(ExtentName.folded(text))
    }

    private static func saysRefused(_ name: String, _ value: JSONDocument) -> Bool {
        guard FailureNames.successes.contains(name) else { return false }
        return EnvelopeScalar(value)?.truth(orNumber: ["ok", "success"].contains(name) || name.hasPrefix("is")) == false
    }

    private static func isRecord(_ members: [(name: String, value: JSONDocument)]) -> Bool {
        members.contains { member in
            let name = ExtentName.folded(member.name)
            guard FailureNames.isIdentity(name), !FailureNames.ofBatch.contains(where: name.hasPrefix),
                let id = EnvelopeScalar(member.value)
            else { return false }
            return id != .text("")
        }
    }

    // MARK: Echoes

    /// Whether a result says how its entry went: it has nothing else, or no name, and no id but one that the request has.
    private mutating func isOutcome(_ members: [(name: String, value: JSONDocument)]) -> Bool {
        var (isOnlyOutcome, isOfSent) = (true, true)
        for (name, value) in members {
            let folded = ExtentName.folded(name)
            if !JSONDocument.isOfAnswer(folded) { isOnlyOutcome = false }
            if FailureNames.isIdentity(folded) || folded == "title", !isSent(folded, value) { isOfSent = false }
        }
        return isOnlyOutcome || isOfSent
    }

    /// Whether an entry has nothing but how it went, beside an id that the request has: `[{"id": "a", "success": false}]`.
    private mutating func isAboutSent(_ members: [(name: String, value: JSONDocument)]) -> Bool {
        for (name, value) in members {
            let folded = ExtentName.folded(name)
            guard JSONDocument.isOfAnswer(folded) else { return false }
            if FailureNames.isIdentity(folded), !isSent(folded, value) { return false }
        }
        return true
    }

    private mutating func isSent(_ name: String, _ value: JSONDocument) -> Bool {
        sent.contains(Self.sent(name, value))
    }

    private static func values(in value: JSONDocument, depth: Int) -> [String] {
        guard depth > 0 else { return [] }
        if let elements = value.elements { return elements.flatMap { values(in: $0, depth: depth - 1) } }
        return (value.members ?? []).flatMap { member in
            [sent(ExtentName.folded(member.name), member.value)] + values(in: member.value, depth: depth - 1)
        }
    }

    private static func sent(_ name: String, _ value: JSONDocument) -> String {
        "\(name)=\(value.string ?? String(decoding: value.bytes, as: UTF8.self))"
    }
}
