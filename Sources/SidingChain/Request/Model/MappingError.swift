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
