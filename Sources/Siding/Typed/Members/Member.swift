public import SidingJSON

/// Says at which place in the JSON a property of a model lies, where Siding cannot find that out by itself.
///
/// That is so for models with an `init(from:)` that takes only certain values, and for enumerations that are not
/// `CaseIterable`: the search decodes the model from values that it makes up.
public struct Member<Model>: Sendable {
    let keyPath: any PartialKeyPath<Model> & Sendable
    let path: JSONPath

    /// - Parameter name: the member of the record; a dot is part of it.
    public init(_ keyPath: any PartialKeyPath<Model> & Sendable, _ name: String) {
        self.init(keyPath, at: JSONPath(member: name))
    }

    public init(_ keyPath: any PartialKeyPath<Model> & Sendable, at path: JSONPath) {
        self.keyPath = keyPath
        self.path = path
    }
}

/// A property of a model whose place in the JSON could not be found.
public struct MemberError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The property, as in `\Issue.state`.
    public var property: String
    /// Why.
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
