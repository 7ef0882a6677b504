internal import HTTPTypes
public import SidingChain

/// What the pages of a search are asked for with: the members of a POST's body, before the parameters of paging are set.
///
/// A POST that lists is a read: it is sent again, and retained, as a GET is.
public struct SearchBody: Sendable, Hashable {
    /// `{cursor}` and `{until}` in a string stand for what the listing asks for; a string that is nothing but `{cursor}` is a
    /// number where the cursor is one. What has a placeholder that stands for nothing is left out.
    public var members: [String: QueryValue]
    public var encoding: Encoding

    /// How it is written.
    public enum Encoding: String, Sendable, Codable, CaseIterable {
        case json
        /// As HTML forms are, nested members as `filter[status]`.
        case form

        /// The media type that says so.
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
    /// The body before placeholders are filled: what is declared, or an empty one for paging that says its place there.
    var searchBody: SearchBody? { body ?? (paging.usesBody ? SearchBody() : nil) }

    /// The media type of the body that pages are asked for with; nil where they have none.
    public var bodyType: String? {
        searchBody.map { body in
            // The source's own word for JSON wins, such as application/vnd.api+json.
            let own = body.encoding == .json ? source.headerFields[.contentType] : nil
            return own ?? body.encoding.mediaType
        }
    }

    /// Whether pages are asked for on a condition: only a GET is (RFC 9110 §13.1), and only where it is wanted.
    var asksConditionally: Bool { isConditional && method == .get }
}
