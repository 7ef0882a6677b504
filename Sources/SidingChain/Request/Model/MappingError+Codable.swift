internal import SidingJSON

extension MappingError {
    /// What `Codable` says of a value that it could not read, with the place in the document and what stands there.
    ///
    /// - Parameter document: what was decoded, where it is at hand.
    init(_ error: DecodingError, in document: JSONDocument?) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let place = Place(context.codingPath, in: document)
            self.init("expected \(Self.name(of: type)), found \(place.kind)", at: place)
        case .keyNotFound(let key, let context):
            let place = Place(context.codingPath, in: document)
            self.init("the member \"\(PlainText.oneLine(key.stringValue, limit: 80))\" is missing", at: place)
        case .dataCorrupted(let context):
            let place = Place(context.codingPath, in: document)
            // What is said may hold the value.
            self.init(place.isSecret ? "the value cannot be used" : context.debugDescription, at: place)
        @unknown default:
            self.init(String(describing: error))
        }
    }

    /// A number that is none of the type's values: too large, or with a fraction.
    init(unfitting type: String, at codingPath: [any CodingKey], in document: JSONDocument) {
        self.init("the number does not fit \(type)", at: Place(codingPath, in: document))
    }

    /// What `Codable` says of a value that it could not write.
    init(_ error: EncodingError) {
        switch error {
        case .invalidValue(_, let context):
            self.init(context.debugDescription, at: Place(context.codingPath, in: nil))
        @unknown default:
            self.init(String(describing: error))
        }
    }

    private init(_ problem: String, at place: Place) {
        self.init(problem, at: place.path)
        fragment = place.isSecret ? nil : place.nearest.map(Redaction.excerpt)
    }

    /// `Codable` asks for containers by these types.
    private static func name(of type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: String(describing: type)
        }
    }
}

/// A coding path as a path into the document that was decoded.
private struct Place {
    private(set) var path = JSONPath.root
    /// The value at the path, or at the longest part of it that the document has: a decoder may rename keys.
    private(set) var nearest: JSONDocument?
    private(set) var isSecret = false
    private var isThere: Bool

    init(_ codingPath: [any CodingKey], in document: JSONDocument?) {
        nearest = document
        isThere = document != nil
        for key in codingPath { step(to: key) }
    }

    /// What stands at the path, to be put into a sentence.
    var kind: String { isThere ? nearest?.kind.description ?? "nothing" : nearest == nil ? "another kind" : "nothing" }

    private mutating func step(to key: any CodingKey) {
        let component = component(for: key)
        path = path.appending(component)
        if case .member(let name) = component, Redaction.isSecret(memberName: name) { isSecret = true }
        guard isThere else { return }
        let next = nearest?.value(at: JSONPath.root.appending(component))
        isThere = next != nil
        nearest = next ?? nearest
    }

    /// The key of an array's element has a number, and so may a dictionary's.
    private func component(for key: any CodingKey) -> JSONPath.Component {
        guard let index = key.intValue, index >= 0 else { return .member(key.stringValue) }
        return isThere && nearest?.kind == .object ? .member(key.stringValue) : .index(index)
    }
}
