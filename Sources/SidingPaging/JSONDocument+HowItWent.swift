// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// What the answer to a write is about: the record, or how the write went.
extension JSONDocument {
    /// Whether it is an object that says that the write was refused, and has nothing of a record but an id, which may be that of the
    /// request: `{"id": "req-1", "success": false, "message": "locked"}`, an error of JSON-RPC.
    ///
    /// - Parameters:
    ///   - isOfEdit: whether the write changes a record: then a state counts, too. What a creation made may have one.
    ///   - sent: the record that was sent: an answer that has a member of it is that record.
    package func saysOnlyHowItWent(isOfEdit: Bool, sent: JSONDocument?) -> Bool {
        guard let names = members.map(Self.folded), names.allSatisfy({ Self.isOfAnswer($0.name) }), !repeats(sent)
        else { return false }
        let hasRefusedState = names.contains { name, value in
            FailureNames.states.contains(name)
                && FailureNames.refusedStates.contains(ExtentName.folded(value.string ?? ""))
        }
        return hasFault || (isOfEdit && sent != nil && hasRefusedState)
    }

    /// Whether it has an error, or says that something did not succeed.
    package var hasFault: Bool {
        deniesSuccess
            || (members.map(Self.folded) ?? []).contains { FailureNames.errors.contains($0.name) && $0.value.hasErrors }
    }

    /// Whether it has a flag by which something did not succeed.
    package var deniesSuccess: Bool {
        (members.map(Self.folded) ?? []).contains { name, value in
            FailureNames.successes.contains(name) && EnvelopeScalar(value)?.truth(orNumber: true) == false
        }
    }

    /// Whether it is an object with an id of its own.
    package var hasID: Bool { has { ["id", "uuid", "guid"].contains($0) } }

    /// Whether it is the record that was made of what was `sent`: it has an id, such as `order_id`, and a member of that.
    package func isMade(of sent: JSONDocument?) -> Bool {
        has { $0 == "guid" || ($0.hasSuffix("id") && FailureNames.isIdentity($0)) } && repeats(sent)
    }

    private func has(_ isID: (String) -> Bool) -> Bool {
        (members.map(Self.folded) ?? []).contains {
            isID($0.name) && !($0.value.string ?? $0.value.digits ?? "").isEmpty
        }
    }

    /// Whether a member has the same value as in `sent`. An id does not count, nor a state that is a refusal: a refusal may have both.
    private func repeats(_ sent: JSONDocument?) -> Bool {
        (sent?.members ?? []).contains { name, value in
            let folded = ExtentName.folded(name)
            let isOfRefusal =
                FailureNames.states.contains(folded)
                && FailureNames.refusedStates.contains(ExtentName.folded(value.string ?? ""))
            return !FailureNames.isIdentity(folded) && !value.isNull && !isOfRefusal
                && self.value(at: JSONPath(member: name))?.isEquivalent(to: value) ?? false
        }
    }

    private static func folded(_ members: [(name: String, value: JSONDocument)]) -> [(
        name: String, value: JSONDocument
    )] {
        members.map { (ExtentName.folded($0.name), $0.value) }
    }

    /// Whether a member of an answer with this folded name says how a write went, or is an id.
    static func isOfAnswer(_ name: String) -> Bool {
        ofAnswers.contains(name) || (name.hasSuffix("id") && FailureNames.ofRequest.contains(where: name.hasPrefix))
    }

    private static let ofAnswers = [
        FailureNames.messages, FailureNames.ofAnswers, FailureNames.errorsBesideList, FailureNames.successes,
        FailureNames.errorFlags, FailureNames.codes, FailureNames.errorCodes, FailureNames.states,
        ["id", "uuid", "guid", "key"],
    ].reduce(into: Set<String>()) { $0.formUnion($1) }

    /// Whether something is in it that does not stand for no error.
    var hasErrors: Bool {
        if let scalar = EnvelopeScalar(self) { return !scalar.saysNoError }
        if let elements { return elements.contains { $0.members != nil || $0.hasErrors } }
        return members?.contains { $0.value.hasErrors } ?? false
    }
}
