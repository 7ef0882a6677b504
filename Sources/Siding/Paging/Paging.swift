public import SidingJSON
public import HTTPTypes

/// How one page leads to the next.
public enum Paging: Sendable, Hashable {
    /// Looks at the first page for a `Link: rel=next`, a next URL in the body, a next-page header field, or a cursor in
    /// the body with its usual query name; never guesses page or offset numbers. The run says what was chosen.
    case automatic
    /// One page is all.
    case none
    /// `Link: <…>; rel="next"` (RFC 8288).
    case linkHeader
    /// A URL in the body; without a path the usual places are looked at.
    case nextURL(JSONPath?)
    /// A token in the body that goes into the query parameter `parameter`.
    case cursor(JSONPath, parameter: String)
    /// A token in a header field that goes into the query parameter `parameter`.
    case headerCursor(HTTPField.Name, parameter: String)
    /// A header field that names the next page: a URL, or the number that goes into the query parameter `page`.
    case nextHeader(HTTPField.Name)
    /// Page numbers. Ends on an empty page or, where `size` is declared, on one with fewer records.
    case page(PageNumbers)
    /// Offsets. Ends on an empty page or, where `limit` is declared, on one with fewer records.
    case offset(Offsets)

    /// Page numbers in the query.
    public struct PageNumbers: Sendable, Hashable {
        public var parameter: String
        public var start: Int
        public var sizeParameter: String?
        public var size: Int?

        public init(parameter: String = "page", start: Int = 1, sizeParameter: String? = nil, size: Int? = nil) {
            (self.parameter, self.start, self.sizeParameter, self.size) = (parameter, start, sizeParameter, size)
        }
    }

    /// Record offsets in the query. Without `limit` the next offset is the number of records seen so far.
    public struct Offsets: Sendable, Hashable {
        public var parameter: String
        public var start: Int
        public var limitParameter: String
        public var limit: Int?

        public init(parameter: String = "offset", start: Int = 0, limitParameter: String = "limit", limit: Int? = nil) {
            (self.parameter, self.start, self.limitParameter, self.limit) = (parameter, start, limitParameter, limit)
        }
    }
}

extension Paging: CustomStringConvertible {
    /// The kind and where it looks, for a person and for run records.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .none: "none"
        case .linkHeader: "link_header"
        case .nextURL(let path): path.map { "next_url at \($0)" } ?? "next_url"
        case .cursor(let path, let parameter): "cursor at \(path) in ?\(parameter)"
        case .headerCursor(let name, let parameter): "header_cursor \(name.rawName) in ?\(parameter)"
        case .nextHeader(let name): "next page in the header field \(name.rawName)"
        case .page(let numbers):
            "page ?\(numbers.parameter) from \(numbers.start)" + (numbers.size.map { ", \($0) each" } ?? "")
        case .offset(let offsets):
            "offset ?\(offsets.parameter) from \(offsets.start)" + (offsets.limit.map { ", \($0) each" } ?? "")
        }
    }
}
