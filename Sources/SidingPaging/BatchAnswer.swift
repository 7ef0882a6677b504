// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
package import SidingJSON

/// What the answer to a batch of writes says of its entries: `[{"id": 1, "ok": true}, {"id": 2, "error": "conflict"}]`,
/// `{"Successful": […], "Failed": [{"Id": "2"}]}`.
///
/// An origin that has carried out a part of a batch often answers with 200 or 201, and names what failed in a list.
package struct BatchAnswer {
    private let request: [JSONDocument]
    private let limits: JSONLimits

    /// Nil unless the request may have several entries: it has a list, or several lines.
    package init?(to body: [UInt8], limits: JSONLimits) {
        if let document = try? JSONDocument(body.withoutByteOrderMark, limits: limits) {
            guard Self.hasList(document, depth: 4) else { return nil }
            request = [document]
        } else {
            let lines = body.split(separator: UInt8(ascii: "\n")).lazy.filter { $0.contains { $0 > 0x20 } }
            guard lines.prefix(2).count > 1 else { return nil }
            request = Self.lines(in: body, limits)
        }
        self.limits = limits
    }

    /// The first entry that failed, or the first list of them; nil if there is none.
    package func shortfall(in body: [UInt8]) -> Shortfall? {
        var search = FailedEntrySearch(request: request)
        let failure: String?
        if let document = try? JSONDocument(body.withoutByteOrderMark, limits: limits) {
            failure = search.failure(around: document, at: .root)
        } else {
            failure = search.failure(among: Self.lines(in: body, limits), at: .root)
        }
        return failure.map { Shortfall(.entries, $0) }
    }

    /// The documents on the lines of a text, up to one that is none.
    private static func lines(in body: [UInt8], _ limits: JSONLimits) -> [JSONDocument] {
        var documents: [JSONDocument] = []
        for line in body.withoutByteOrderMark.split(whereSeparator: {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }) {
            guard let document = try? JSONDocument(Array(line), limits: limits) else { break }
            documents.append(document)
        }
        return documents
    }

    private static func hasList(_ value: JSONDocument, depth: Int) -> Bool {
        if let elements = value.elements { return !elements.isEmpty }
        return depth > 0 && value.members?.contains { hasList($0.value, depth: depth - 1) } ?? false
    }
}

/// Looks for entries that failed in the answer to a batch.
private struct FailedEntrySearch {
    let request: [JSONDocument]
    /// The values of the request, each with its name: an answer may repeat them.
    private lazy var sent = Set(request.flatMap { Self.values(in: $0, depth: 8) })

    init(request: [JSONDocument]) {
        self.request = request
    }

    /// - Parameter place: a list of entries, or an object around lists.
    mutating func failure(around place: JSONDocument, at path: JSONPath) -> String? {
        if let entries = place.elements { return failure(among: entries, at: path) }
        guard let members = place.members else { return nil }
        let isRecord = Self.isRecord(members)
        for (name, value) in members {
            let (folded, here) = (ExtentName.folded(name), path.appending(.member(name)))
            if !isRecord, isOfFailed(folded, value, beside: members), !isSent(folded, value) {
                return "\(here) is \(EnvelopeScalar(value)?.message ?? "not empty")"
            }
            // The lists of a record are its own.
            if isRecord, !["results", "responses"].contains(folded) { continue }
            if let entries = value.elements {
                if let failure = failure(among: entries, at: here) { return failure }
            } else if path.components.isEmpty, value.kind == .object,
                let failure = failure(around: value, at: here)
            {
                return failure
            }
        }
        return nil
    }

    mutating func failure(among entries: [JSONDocument], at path: JSONPath) -> String? {
        for (index, entry) in entries.enumerated() {
            if let failure = failure(of: entry, at: path.appending(.index(index))) { return failure }
        }
        return nil
    }

    // MARK: Lists of what failed

    /// Whether a member counts or lists entries that failed.
    private func isOfFailed(
        _ name: String, _ value: JSONDocument, beside members: [(name: String, value: JSONDocument)]
    ) -> Bool {
        let isNamed = FailureNames.ofFailedEntries.contains(where: name.hasPrefix)
        switch value.kind {
        case .array:
            if isNamed { return Self.hasValue(value) }
            guard FailureNames.errors.contains(name), Self.hasValue(value) else { return false }
            // Alone they refuse the whole batch.
            return members.contains { ExtentName.folded($0.name) != name && Self.isOfDone($0) }
        case .object: return FailureNames.unprocessed.contains(name) && Self.hasValue(value)
        case .number, .string: return isNamed && (EnvelopeScalar(value)?.wholeNumber ?? 0) > 0
        case .true, .false, .null: return false
        }
    }

    /// Whether a member lists or counts what was done.
    private static func isOfDone(_ member: (name: String, value: JSONDocument)) -> Bool {
        switch member.value.kind {
        case .array, .object: hasValue(member.value)
        case .number:
            (EnvelopeScalar(member.value)?.wholeNumber ?? 0) > 0
                && !FailureNames.codes.contains(ExtentName.folded(member.name))
        case .string, .true, .false, .null: false
        }
    }

    /// Whether something is in it that does not stand for nothing.
    private static func hasValue(_ value: JSONDocument) -> Bool {
        if let scalar = EnvelopeScalar(value) { return !scalar.saysNoError }
        if let elements = value.elements { return elements.contains { $0.members != nil || hasValue($0) } }
        return value.members?.contains { hasValue($0.value) } ?? false
    }

    // MARK: Entries

    private static let parts: Set<String> = [
        "result", "response", "body", "index", "create", "update", "delete", "upsert", "insert",
    ]

    /// What an entry says of itself, in an object of its own too: `{"index": {"error": …}}`.
    private mutating func failure(of entry: JSONDocument, at path: JSONPath) -> String? {
        guard let members = entry.members else { return nil }
        if let failure = failure(in: members, at: path, isRecord: Self.isRecord(members)) { return failure }
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
        if FailureNames.errors.contains(name) { return Self.hasValue(value) }
        guard !isRecord, let scalar = EnvelopeScalar(value) else { return false }
        if FailureNames.successes.contains(name) {
            return scalar.truth(orNumber: ["ok", "success"].contains(name) || name.hasPrefix("is")) == false
        }
        if FailureNames.errorFlags.contains(name) { return scalar.truth(orNumber: true) == true }
        guard FailureNames.states.contains(name) else { return false }
        if case .bool(let truth) = scalar { return !truth }
        if let code = scalar.wholeNumber ?? scalar.leadingNumber { return (400...599).contains(code) }
        guard case .text(let text) = scalar else { return false }
        return FailureNames.failedEntryStates.contains(ExtentName.folded(text))
    }

    private static func isRecord(_ members: [(name: String, value: JSONDocument)]) -> Bool {
        members.contains { member in
            guard FailureNames.isIdentity(ExtentName.folded(member.name)), let id = EnvelopeScalar(member.value) else {
                return false
            }
            return id != .text("")
        }
    }

    // MARK: Echoes

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
