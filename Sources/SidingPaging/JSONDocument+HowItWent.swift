// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// What the answer to a write is about: the record, or how the write went.
extension JSONDocument {
    /// Whether it is an object that says that the write was refused, and has nothing of a record but an id, which may be that of the
    /// request: `{"id": "req-1", "success": false, "message": "locked"}`, an error of JSON-RPC.
    ///
    /// - Parameter isOfEdit: whether the write changes or deletes a record: then no message is needed. What a creation made may have
    ///   such members alone.
    package func saysOnlyHowItWent(isOfEdit: Bool) -> Bool {
        guard let members else { return false }
        let named = members.map { (name: ExtentName.folded($0.name), value: $0.value) }
        let errors = named.contains { FailureNames.errors.contains($0.name) && $0.value.hasErrors }
        let isRefused = named.contains { FailureNames.successes.contains($0.name) && $0.value.isFalse }
        let hasMessage = errors || named.contains { FailureNames.messages.contains($0.name) && $0.value.hasErrors }
        return (errors || isRefused) && (hasMessage || isOfEdit) && named.allSatisfy { Self.isOfAnswer($0.name) }
    }

    /// Whether it is an object with an id, and with something else than how the write went.
    package var isRecordOfAnswer: Bool {
        guard let members else { return false }
        let named = members.map { (name: ExtentName.folded($0.name), value: $0.value) }
        return named.contains { Self.ids.contains($0.name) && !($0.value.string ?? $0.value.digits ?? "").isEmpty }
            && named.contains { !Self.isOfAnswer($0.name) }
    }

    private static let ids: Set<String> = ["id", "uuid", "guid"]

    /// Whether a member of an answer with this folded name says how a write went, or is an id.
    static func isOfAnswer(_ name: String) -> Bool {
        ofAnswers.contains(name) || (name.hasSuffix("id") && FailureNames.ofRequest.contains(where: name.hasPrefix))
    }

    private static let ofAnswers = [
        FailureNames.messages, FailureNames.ofAnswers, FailureNames.errorsBesideList, FailureNames.successes,
        FailureNames.errorFlags, FailureNames.codes, FailureNames.errorCodes, FailureNames.states,
        ["id", "uuid", "guid", "key"],
    ].reduce(into: Set<String>()) { $0.formUnion($1) }

    private var isFalse: Bool { EnvelopeScalar(self)?.truth(orNumber: true) == false }

    /// Whether something is in it that does not stand for no error.
    var hasErrors: Bool {
        if let scalar = EnvelopeScalar(self) { return !scalar.saysNoError }
        if let elements { return elements.contains { $0.members != nil || $0.hasErrors } }
        return members?.contains { $0.value.hasErrors } ?? false
    }
}
