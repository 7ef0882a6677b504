public import SidingJSON

/// Why a value could not be turned into another, and which field was at fault.
///
/// Throw one from ``DTODecodable/from(dto:)`` and its kin where a field's value is refused; arrays and dictionaries add
/// the way to the element, so that a call ends with the path from the root: `$[3].author.born`.
public struct MappingError: Error, Sendable, CustomStringConvertible {
    /// The Swift type that was to be made or written; filled in on the way where it is not known.
    public var type: String?
    /// Where the value lies, from the root of what was mapped.
    public var path: JSONPath
    /// What is wrong there, for a person.
    public var problem: String
    /// The start of the value there on one line, secrets left out; nil where there is none.
    public var fragment: String?
    /// The error of user code, where one lies beneath.
    public var underlying: (any Error)?

    /// - Parameters:
    ///   - problem: a short sentence fragment without secrets.
    ///   - path: where, seen from the value that is being mapped.
    public init(_ problem: String, at path: JSONPath = .root) {
        self.problem = PlainText.oneLine(problem, limit: 200)
        self.path = path
    }

    /// `Issue at $[3].born: expected Int, found a string: "soon"`.
    public var description: String {
        let place = "\(type ?? "value") at \(PlainText.oneLine(path.description, limit: 200)): \(problem)"
        return fragment.map { "\(place): \($0)" } ?? place
    }

    /// Runs the mapping of one part, and places whatever it throws below `component`.
    static func inside<Mapped>(_ component: JSONPath.Component, _ map: () throws -> Mapped) throws -> Mapped {
        do { return try map() } catch {
            // These are not about a field, and travel on as they are.
            if error is Failure || error is CancellationError { throw error }
            var placed = MappingError(wrapping: error)
            placed.path = JSONPath.root.appending(component).appending(placed.path)
            throw placed
        }
    }

    /// - Parameter error: a mapping error stays itself, one of `Codable` brings its path, any other lies beneath.
    init(wrapping error: any Error) {
        switch error {
        case let error as MappingError: self = error
        case let error as DecodingError: self.init(error, in: nil)
        case let error as EncodingError: self.init(error)
        default:
            self.init(String(describing: error))
            underlying = error
        }
    }

    static func expected(_ what: String, _ type: Any.Type, _ document: JSONDocument) -> MappingError {
        var error = MappingError("expected \(what), found \(document.kind)")
        error.type = String(describing: type)
        error.fragment = Redaction.excerpt(document)
        return error
    }
}

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

extension Failure {
    /// The failure that stands for an error of a mapping: it names the Swift type and the field.
    ///
    /// Before sending, the request is invalid; after the answer, the answer broke its contract. An error of the user's own
    /// stays in ``underlying``, as it was thrown.
    static func mapping(_ error: any Error, of type: Any.Type, phase: Phase) -> Failure {
        if error is Failure || error is CancellationError { return wrapping(error, phase: phase) }
        var mapping = MappingError(wrapping: error)
        mapping.type = mapping.type ?? String(describing: type)
        if let own = mapping.underlying {
            return Failure(.userCode, phase: phase, detail: mapping.description, underlying: own)
        }
        let reason: Reason = phase == .notSent ? .invalidRequest : .contract
        return Failure(reason, phase: phase, detail: mapping.description, underlying: mapping)
    }
}
