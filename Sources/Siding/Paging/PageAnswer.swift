internal import SidingChain
internal import SidingJSON
internal import HTTPTypes

/// What paging looks at: the header fields, the number of records, and the wanted values of the envelope.
struct PageAnswer: Sendable {
    var headerFields: HTTPFields
    var recordCount: Int
    /// The scalar values found at the envelope's paths; a path that leads nowhere is missing.
    var envelope: [JSONPath: EnvelopeScalar]

    func linkTarget() -> String? {
        HTTPField.Name("Link").flatMap { headerFields[$0] }.flatMap { LinkHeader.target(of: "next", in: $0) }
    }

    /// The text at `path`, if it is a string that is not empty or a number.
    func text(at path: JSONPath) -> String? {
        guard case .text(let text)? = envelope[path], !text.isEmpty else { return nil }
        return text
    }

    func isFalse(at path: JSONPath) -> Bool { envelope[path] == .bool(false) }

    /// The URL reference at `path`, or at the first usual place that holds one.
    func nextReference(at path: JSONPath?) -> String? {
        if let path { return text(at: path) }
        return EnvelopePlaces.nextURLs.lazy.compactMap { text(at: $0) }.first(where: Self.isReference)
    }

    /// How this first page leads to the next, in the order that ``Paging/automatic`` documents.
    func detectPaging() -> Paging {
        if linkTarget() != nil { return .linkHeader }
        if let path = EnvelopePlaces.nextURLs.first(where: { text(at: $0).map(Self.isReference) ?? false }) {
            return .nextURL(path)
        }
        if let name = EnvelopePlaces.nextHeaders.first(where: { !(headerFields[$0] ?? "").isEmpty }) {
            return .nextHeader(name)
        }
        if let cursor = EnvelopePlaces.cursors.first(where: { text(at: $0.path) != nil }) {
            return .cursor(cursor.path, parameter: cursor.parameter)
        }
        return .none
    }

    private static func isReference(_ text: String) -> Bool {
        text.hasPrefix("/") || text.hasPrefix("?") || text.hasPrefix("https://") || text.hasPrefix("http://")
    }
}

/// A scalar of the envelope, decoded.
enum EnvelopeScalar: Sendable, Hashable {
    /// A string's text, or a number's own digits.
    case text(String)
    case bool(Bool)
}
