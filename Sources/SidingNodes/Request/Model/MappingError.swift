// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
public import SidingJSON

/// Why a value could not be mapped to another, and which field is at fault.
///
/// Throw one from ``DTODecodable/from(dto:)`` and similar functions to reject a field's value. Arrays and dictionaries add the
/// path to the element, so that the failure has the path from the root: `$[3].author.born`.
public struct MappingError: Error, Sendable, CustomStringConvertible {
    /// The Swift type of the mapping; filled in later if nil.
    public var type: String?
    /// The path of the value, from the root of the mapped value.
    public var path: JSONPath
    /// The problem, for people.
    public var problem: String
    /// The start of the value there, on one line and without secrets; nil if there is none.
    public var fragment: String?
    /// The error of user code that caused this one, if any.
    public var underlying: (any Error)?

    /// - Parameters:
    ///   - problem: a short sentence fragment without secrets.
    ///   - path: the place, relative to the value that is being mapped.
    public init(_ problem: String, at path: JSONPath = .root) {
        self.problem = PlainText.oneLine(problem, limit: 200)
        self.path = path
    }

    /// `Issue at $[3].born: expected Int, found a string: "soon"`.
    public var description: String {
        let place = "\(type ?? "value") at \(PlainText.oneLine(path.description, limit: 200)): \(problem)"
        return fragment.map { "\(place): \($0)" } ?? place
    }

    /// Runs the mapping of one part, and prefixes the path of its errors with `component`.
    static func inside<Mapped>(_ component: JSONPath.Component, _ map: () throws -> Mapped) throws -> Mapped {
        do { return try map() } catch {
            // These are not about a field and stay unchanged.
            if error is Failure || error is CancellationError { throw error }
            var placed = MappingError(wrapping: error)
            placed.path = JSONPath.root.appending(component).appending(placed.path)
            throw placed
        }
    }

    /// - Parameter error: a mapping error is kept, a `Codable` error contributes its path, any other becomes ``underlying``.
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

extension MappingError: QuotingError {
    package var place: String { "\(type ?? "value") at \(path)" }
}

extension MappingError {
    /// A decoding error of `Codable`, with its place in the document and the value there.
    ///
    /// - Parameter document: the decoded document, if available.
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
            // The description may contain the value.
            self.init(place.isSecret ? "the value cannot be used" : context.debugDescription, at: place)
        @unknown default:
            self.init(String(describing: error))
        }
    }

    /// A number that the type cannot represent: too large, or with a fraction.
    init(unfitting type: String, at codingPath: [any CodingKey], in document: JSONDocument) {
        self.init("the number does not fit \(type)", at: Place(codingPath, in: document))
    }

    /// An encoding error of `Codable`.
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

    /// `Codable` reports containers by these types.
    private static func name(of type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: String(describing: type)
        }
    }
}

/// Converts a coding path to a path in the decoded document.
private struct Place {
    private(set) var path = JSONPath.root
    /// The value at the path, or at its longest prefix that exists in the document: a decoder may rename keys.
    private(set) var nearest: JSONDocument?
    private(set) var isSecret = false
    private var isThere: Bool

    init(_ codingPath: [any CodingKey], in document: JSONDocument?) {
        nearest = document
        isThere = document != nil
        for key in codingPath { step(to: key) }
    }

    /// The kind of the value at the path, for use in a sentence.
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

    /// The key of an array element has a number, but so may a dictionary key.
    private func component(for key: any CodingKey) -> JSONPath.Component {
        guard let index = key.intValue, index >= 0 else { return .member(key.stringValue) }
        return isThere && nearest?.kind == .object ? .member(key.stringValue) : .index(index)
    }
}

extension Failure {
    /// The failure of a mapping; it names the Swift type and the field.
    ///
    /// Before sending, the request is invalid; after the response, the response broke its contract. The user's own error is
    /// kept unchanged in ``underlying``.
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
