/// The rules that records must meet to be saved.
public struct RecordContract: Sendable, Hashable {
    /// What to do with a record that breaks a rule.
    public enum Response: String, Sendable, Hashable, CaseIterable {
        /// It is saved.
        case allow
        /// It is quarantined with the reason; the rest of its page is saved.
        case quarantine
        /// Nothing of its page is saved, and the listing stops there.
        case fail
    }

    /// For members that no record had before the first complete listing and that no column names.
    public var newFields: Response
    /// For records without a usable key; these cannot be allowed.
    public var missingKey: Response
    /// For values whose JSON type differs from their column's, or from those seen before; null has every type.
    public var typeChange: Response

    public init(newFields: Response = .allow, missingKey: Response = .quarantine, typeChange: Response = .allow) {
        self.newFields = newFields
        self.missingKey = missingKey == .allow ? .quarantine : missingKey
        self.typeChange = typeChange
    }

    /// Whether members must be checked in every record.
    var looksAtMembers: Bool { newFields != .allow || typeChange != .allow }

    /// The contract as text, for the stored definition.
    var text: String {
        "new_fields: \(newFields.rawValue), missing_key: \(missingKey.rawValue), type_change: \(typeChange.rawValue)"
    }
}
