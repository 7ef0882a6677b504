internal import HTTPTypes

/// Applies a header object to each request: its fields are set, not added, and replace those of the same name.
///
/// For fields that give way to the request's own, use ``HeaderInjectorNode``.
public struct HeaderObjectNode<Header: Encodable & Sendable>: Node {
    private let header: Header

    /// A node that applies `header`, see ``HeaderFieldsEncoder`` for what it may hold.
    public init(_ header: Header) {
        self.header = header
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        do throws(Failure) {
            var draft = input
            for field in try HeaderFieldsEncoder().encode(header) { draft.headerFields[field.name] = field.value }
            return draft
        } catch {
            let route = input.route
            throw error.at(node: name, method: route.method.rawValue, url: Redaction.url(route.url))
        }
    }
}

/// Says that a request carries JSON and wants JSON.
public struct JSONRequestHeaderFields: Encodable, Sendable, Hashable {
    public let accept = "application/json"
    public let contentType = "application/json"

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case accept = "Accept"
        case contentType = "Content-Type"
    }
}

/// Says that a request carries an encoded form and wants JSON.
public struct FormRequestHeaderFields: Encodable, Sendable, Hashable {
    public let accept = "application/json"
    public let contentType = "application/x-www-form-urlencoded"

    public init() {}

    private enum CodingKeys: String, CodingKey {
        case accept = "Accept"
        case contentType = "Content-Type"
    }
}
