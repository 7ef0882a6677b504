internal import HTTPTypes
public import SidingChain

/// The body of a search: the members of a POST's body, before pagination parameters are set.
///
/// A POST that lists is a read: it is retried and retained like a GET.
public struct SearchBody: Sendable, Hashable {
    /// In a string, `{cursor}` and `{until}` stand for the cursor range. A string that is only `{cursor}` becomes a number if
    /// the cursor is one. A member whose placeholder has no value is left out.
    public var members: [String: QueryValue]
    public var encoding: Encoding

    /// The encoding of the body.
    public enum Encoding: String, Sendable, Codable, CaseIterable {
        case json
        /// Like an HTML form, with nested members as `filter[status]`.
        case form

        /// The media type of the encoding.
        public var mediaType: String {
            switch self {
            case .json: "application/json"
            case .form: "application/x-www-form-urlencoded"
            }
        }
    }

    public init(_ members: [String: QueryValue] = [:], encoding: Encoding = .json) {
        self.members = members
        self.encoding = encoding
    }
}

extension AnyResource {
    /// The body before placeholders are filled: the declared one, or an empty one if pagination parameters go into it.
    var searchBody: SearchBody? { body ?? (paging.usesBody ? SearchBody() : nil) }

    /// The media type of page requests; nil if they have no body.
    public var bodyType: String? {
        searchBody.map { body in
            // The source's own JSON media type takes precedence, such as application/vnd.api+json.
            let own = body.encoding == .json ? source.headerFields[.contentType] : nil
            return own ?? body.encoding.mediaType
        }
    }

    /// Whether pages are requested conditionally: only for GET (RFC 9110 §13.1), and if enabled.
    var asksConditionally: Bool { isConditional && method == .get }
}
