internal import SidingChain
internal import SidingJSON
internal import HTTPTypes

/// What paging looks at: the header fields, the number of records, and the wanted values of the envelope.
struct PageAnswer: Sendable {
    var headerFields: HTTPFields
    var recordCount: Int
    /// The values found at the envelope's paths; a path that leads nowhere, or to null, is missing.
    var envelope: [JSONPath: EnvelopeScalar]
    /// What the last record holds where a paging looks for its token; nil where there is none.
    var lastRecord: EnvelopeScalar?
    /// Where the answer came from, after redirects.
    var url: HTTPURL?
    /// The credentials that went out in the query: an origin that repeats them must not bring them into the store.
    var secrets: Set<String> = []

    func linkTarget() -> String? {
        HTTPField.Name("Link").flatMap { headerFields[$0] }.flatMap { LinkHeader.target(of: "next", in: $0) }
    }

    /// The text at `path`, if it is a string that is not empty or a number.
    func text(at path: JSONPath) -> String? {
        guard let token = token(at: path) else { return nil }
        switch token {
        case .text(let text), .number(let text): return text
        case .bool, .structure: return nil
        }
    }

    /// What leads on at `path`: text, unless it is empty, a number, or an array or object as a whole; no truth value.
    func token(at path: JSONPath) -> EnvelopeScalar? { envelope[path].flatMap(\.token) }

    func isFalse(at path: JSONPath) -> Bool { envelope[path] == .bool(false) }

    func isTrue(at path: JSONPath) -> Bool { envelope[path] == .bool(true) }

    /// The URL reference at `path`, or at the first usual place that holds one.
    func nextReference(at path: JSONPath?) -> String? {
        if let path { return text(at: path) }
        return EnvelopePlaces.nextURLs.lazy.compactMap { text(at: $0) }.first(where: Self.isReference)
    }

    /// How this first page leads to the next, in the order that ``Paging/automatic`` documents.
    ///
    /// - Parameter hasBody: whether the page was asked for with a body of JSON, into which a cursor goes back then.
    func detectPaging(hasBody: Bool = false) -> Paging {
        if linkTarget() != nil { return .linkHeader }
        if let path = EnvelopePlaces.nextURLs.first(where: { text(at: $0).map(Self.isReference) ?? false }) {
            return .nextURL(path)
        }
        if let name = EnvelopePlaces.nextHeaders.first(where: { !(headerFields[$0] ?? "").isEmpty }) {
            return .nextHeader(name)
        }
        if let cursor = EnvelopePlaces.cursors.first(where: { text(at: $0.path) != nil }) {
            let isPlain = !cursor.parameter.contains("[")
            return .cursor(
                cursor.path,
                parameter: hasBody && isPlain ? .body(JSONPath(member: cursor.parameter)) : .query(cursor.parameter))
        }
        return .none
    }

    /// The usual place that says that there is more; nil where none does.
    func signOfMore() -> JSONPath? {
        if let path = EnvelopePlaces.truthsOfMore.first(where: isTrue) { return path }
        return EnvelopePlaces.pageNumbers.first { path in
            if case .number = envelope[path] { true } else { false }
        }
    }

    /// Whether the text is a URL rather than a token: a URL or a path from the root, or one with a query (`items?page=2`).
    private static func isReference(_ text: String) -> Bool {
        if ["/", "?", "https://", "http://"].contains(where: text.hasPrefix) { return true }
        return text.wholeMatch(of: /[A-Za-z0-9._~\/-]+\?[A-Za-z0-9._~%\[\]-]+=.*/) != nil
    }
}

/// A value of the envelope.
enum EnvelopeScalar: Sendable, Hashable {
    /// A string's text, decoded.
    case text(String)
    /// A number's own digits.
    case number(String)
    case bool(Bool)
    /// An array or an object, as it came.
    case structure(JSONDocument)

    /// The value, where it can lead to a next page.
    var token: EnvelopeScalar? {
        switch self {
        case .text(let text): text.isEmpty ? nil : self
        case .number, .structure: self
        case .bool: nil
        }
    }

    /// - Returns: nil for null.
    /// - Throws: a fault of the answer, for what no request can repeat, such as half of a surrogate pair.
    init?(_ value: EnvelopeValue, in page: UnsafeRawBufferPointer) throws(Failure) {
        switch value.kind {
        case .string:
            guard let text = value.string(in: page) else {
                throw Failure(
                    .contract, phase: .answered, detail: "the way to the next page holds half of a surrogate pair")
            }
            self = .text(text)
        case .number: self = .number(String(decoding: page[value.range], as: UTF8.self))
        case .true: self = .bool(true)
        case .false: self = .bool(false)
        case .object, .array:
            do throws(DocumentFault) { self = .structure(try JSONDocument(Array(page[value.range]))) } catch {
                throw Failure(.contract, phase: .answered, detail: "the way to the next page: \(error)")
            }
        case .null: return nil
        }
    }
}
