public import SidingJSON

/// Names the JSON path of a model's property, for cases in which Siding cannot find it.
///
/// That concerns models whose `init(from:)` accepts only certain values, and enumerations that are not `CaseIterable`: the
/// search decodes the model from made-up values.
public struct Member<Model>: Sendable {
    let keyPath: any PartialKeyPath<Model> & Sendable
    let path: JSONPath

    /// - Parameter name: the member of the record; a dot is part of the name.
    public init(_ keyPath: any PartialKeyPath<Model> & Sendable, _ name: String) {
        self.init(keyPath, at: JSONPath(member: name))
    }

    public init(_ keyPath: any PartialKeyPath<Model> & Sendable, at path: JSONPath) {
        self.keyPath = keyPath
        self.path = path
    }
}

/// The error for a property whose JSON path was not found.
public struct MemberError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The property, as in `\Issue.state`.
    public var property: String
    /// Why it was not found.
    public var reason: String

    public var description: String {
        "the JSON member of \(property) was not found: \(reason); name it: Member(\(place), \"its_name\")"
    }

    /// A computed property has no name at run time.
    private var place: String { property.hasPrefix("\\") ? property : "\\.property" }

    init(_ keyPath: AnyKeyPath, _ reason: String) {
        let text = "\(keyPath)"
        property = text.contains("<computed") ? "a computed property of \(type(of: keyPath).rootType)" : text
        self.reason = reason
    }
}
