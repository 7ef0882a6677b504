// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingJSON

/// How one page leads to the next.
public enum Paging: Sendable, Hashable {
    /// Looks at the first page for a `Link: rel=next`, a next URL in the body, a next-page header field, or a cursor in the
    /// body with its usual query name. It never guesses page or offset numbers. The run record has the result.
    case automatic
    /// A single page.
    case none
    /// `Link: <…>; rel="next"` (RFC 8288).
    case linkHeader
    /// A URL in the body; without a path it is looked up at the usual places.
    case nextURL(JSONPath?)
    /// A token in the answer's body that goes into `parameter`.
    case cursor(JSONPath, parameter: Parameter)
    /// A value of the page's last record that goes into `parameter`, such as its id. Ends on an empty page.
    case lastRecord(JSONPath, parameter: Parameter)
    /// A token in a header field that goes into `parameter`.
    case headerCursor(HTTPField.Name, parameter: Parameter)
    /// A header field that names the next page: a URL, or the number for the query parameter `page`.
    case nextHeader(HTTPField.Name)
    /// Page numbers. Ends on an empty page or, if `size` is declared, on one with fewer records than those before.
    case page(PageNumbers)
    /// Offsets. Ends on an empty page or, if `limit` is declared, on one with fewer records than those before.
    case offset(Offsets)

    /// Page numbers in the query, or in the body.
    public struct PageNumbers: Sendable, Hashable {
        /// The parameter with the number of the page; `page` by default.
        public var parameter: Parameter
        /// The number of the first page; 1 by default.
        public var start: Int
        /// The parameter with the number of records per page; nil, the default, sends none.
        public var sizeParameter: Parameter?
        /// How many records a page is asked to have; nil leaves it to the origin. A page with fewer need not be the last one.
        public var size: Int?

        /// Page numbers from 1 in `page` by default.
        public init(parameter: Parameter = "page", start: Int = 1, sizeParameter: Parameter? = nil, size: Int? = nil) {
            (self.parameter, self.start, self.sizeParameter, self.size) = (parameter, start, sizeParameter, size)
        }
    }

    /// Record offsets in the query, or in the body. Without `limit` the next offset is the number of records seen so far.
    public struct Offsets: Sendable, Hashable {
        /// The parameter with the number of records to skip; `offset` by default.
        public var parameter: Parameter
        /// The offset of the first page; 0 by default.
        public var start: Int
        /// The parameter with the number of records per page; `limit` by default.
        public var limitParameter: Parameter
        /// How many records a page is asked to have; nil sends none. A page with fewer is the last one.
        public var limit: Int?

        /// Offsets from 0 in `offset` by default.
        public init(
            parameter: Parameter = "offset", start: Int = 0, limitParameter: Parameter = "limit", limit: Int? = nil
        ) {
            (self.parameter, self.start, self.limitParameter, self.limit) = (parameter, start, limitParameter, limit)
        }
    }
}

extension Paging: CustomStringConvertible {
    /// The kind and its place, for people and run records.
    public var description: String {
        switch self {
        case .automatic: "auto"
        case .none: "none"
        case .linkHeader: "link_header"
        case .nextURL(let path): path.map { "next_url at \($0)" } ?? "next_url"
        case .cursor(let path, let parameter): "cursor at \(path) in \(parameter)"
        case .lastRecord(let path, let parameter): "cursor at \(path) of the last record in \(parameter)"
        case .headerCursor(let name, let parameter): "header_cursor \(name.rawName) in \(parameter)"
        case .nextHeader(let name): "next page in the header field \(name.rawName)"
        case .page(let numbers):
            "page \(numbers.parameter) from \(numbers.start)" + (numbers.size.map { ", \($0) each" } ?? "")
        case .offset(let offsets):
            "offset \(offsets.parameter) from \(offsets.start)" + (offsets.limit.map { ", \($0) each" } ?? "")
        }
    }
}

extension Paging {
    /// Where a request carries a pagination parameter; a string literal names a query parameter.
    public enum Parameter: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// A parameter of the URL, such as `page` in `?page=2`.
        case query(String)
        /// A nested member of the body of a POST.
        case body(JSONPath)

        /// A query parameter of this name.
        public init(stringLiteral value: String) { self = .query(value) }

        /// For people: `?page`, `body $.page`.
        public var description: String {
            switch self {
            case .query(let name): "?\(name)"
            case .body(let path): "body \(path)"
            }
        }

        var isInBody: Bool { if case .body = self { true } else { false } }
    }

    /// The pagination parameters of requests.
    var parameters: [Parameter] {
        switch self {
        case .automatic, .none, .linkHeader, .nextURL, .nextHeader: []
        case .cursor(_, let parameter), .lastRecord(_, let parameter), .headerCursor(_, let parameter): [parameter]
        case .page(let numbers): [numbers.parameter] + (numbers.sizeParameter.map { [$0] } ?? [])
        case .offset(let offsets): [offsets.parameter, offsets.limitParameter]
        }
    }

    /// The paths of those parameters in the body.
    package var bodyPaths: [JSONPath] {
        parameters.compactMap { parameter -> JSONPath? in if case .body(let path) = parameter { path } else { nil } }
    }

    /// Whether a request carries one of them in its body.
    package var usesBody: Bool { parameters.contains(where: \.isInBody) }
}
