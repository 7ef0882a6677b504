/// What records must keep to while they are saved.
public struct RecordContract: Sendable, Hashable {
    /// What becomes of a record that does not.
    public enum Response: String, Sendable, Hashable, CaseIterable {
        /// It is saved.
        case allow
        /// It is set aside with the reason; the rest of its page is saved.
        case quarantine
        /// Nothing of its page is saved, and the listing stops there.
        case fail
    }

    /// Members that no record had before the first complete listing, and no column names.
    public var newFields: Response
    /// Records without a usable key; these cannot be allowed.
    public var missingKey: Response
    /// Values of another JSON type than their column's, or than the member was seen with before; null is of every type.
    public var typeChange: Response

    public init(newFields: Response = .allow, missingKey: Response = .quarantine, typeChange: Response = .allow) {
        self.newFields = newFields
        self.missingKey = missingKey == .allow ? .quarantine : missingKey
        self.typeChange = typeChange
    }

    /// Whether members have to be looked at, record by record.
    var looksAtMembers: Bool { newFields != .allow || typeChange != .allow }

    /// For the stored definition.
    var text: String {
        "new_fields: \(newFields.rawValue), missing_key: \(missingKey.rawValue), type_change: \(typeChange.rawValue)"
    }
}
