internal import SidingChain
internal import SidingJSON
internal import HTTPTypes

/// The parts of an answer that paging needs: header fields, number of records, and envelope values.
struct PageAnswer: Sendable {
    var headerFields: HTTPFields
    var recordCount: Int
    /// The values at the envelope's paths; missing or null values are left out.
    var envelope: [JSONPath: EnvelopeScalar]
    /// The last record's value at the path of its token; nil if there is none.
    var lastRecord: EnvelopeScalar?
    /// The URL of the answer, after redirects.
    var url: HTTPURL?
    /// The credentials sent with the requests: if the origin repeats them, they must not reach the store.
    var secrets: Set<String> = []

    func linkTarget() -> String? {
        HTTPField.Name("Link").flatMap { headerFields[$0] }.flatMap { LinkHeader.target(of: "next", in: $0) }
    }

    /// The text at `path`, if it is a non-empty string or a number.
    func text(at path: JSONPath) -> String? {
        guard let token = token(at: path) else { return nil }
        switch token {
        case .text(let text), .number(let text): return text
        case .bool, .structure: return nil
        }
    }

    /// The pagination token at `path`: a non-empty string, a number, an array or an object, but no Boolean.
    func token(at path: JSONPath) -> EnvelopeScalar? { envelope[path].flatMap(\.token) }

    func isFalse(at path: JSONPath) -> Bool { envelope[path] == .bool(false) }

    func isTrue(at path: JSONPath) -> Bool { envelope[path] == .bool(true) }

    /// The URL reference at `path`, or at the first usual place that holds one.
    func nextReference(at path: JSONPath?) -> String? {
        if let path { return text(at: path) }
        return EnvelopePlaces.nextURLs.lazy.compactMap { text(at: $0) }.first(where: Self.isReference)
    }

    /// Detects the paging from the first page, in the order that ``Paging/automatic`` documents.
    ///
    /// - Parameter hasBody: whether the request had a JSON body, so that a cursor goes back into it.
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

    /// The usual member that reports more pages; nil if none does.
    func signOfMore() -> JSONPath? {
        if let path = EnvelopePlaces.truthsOfMore.first(where: isTrue) { return path }
        return EnvelopePlaces.pageNumbers.first { path in
            if case .number = envelope[path] { true } else { false }
        }
    }

    /// Whether the text is a URL reference, not a token: a URL, an absolute path, or a path with a query (`items?page=2`).
    private static func isReference(_ text: String) -> Bool {
        if ["/", "?", "https://", "http://"].contains(where: text.hasPrefix) { return true }
        return text.wholeMatch(of: /[A-Za-z0-9._~\/-]+\?[A-Za-z0-9._~%\[\]-]+=.*/) != nil
    }
}

/// A value of the envelope.
enum EnvelopeScalar: Sendable, Hashable {
    /// The decoded text of a string.
    case text(String)
    /// The digits of a number, unchanged.
    case number(String)
    case bool(Bool)
    /// An array or object, unchanged.
    case structure(JSONDocument)

    /// The value, if it can be a pagination token.
    var token: EnvelopeScalar? {
        switch self {
        case .text(let text): text.isEmpty ? nil : self
        case .number, .structure: self
        case .bool: nil
        }
    }

    /// - Returns: nil for null.
    /// - Throws: a contract failure if no request can repeat the value, such as half of a surrogate pair.
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
