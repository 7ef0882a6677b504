internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// A GraphQL request that was refused with a success status: `errors`, and no data (https://spec.graphql.org/draft/#sec-Response-Format).
struct GraphQLRefusal: Error {
    /// The messages of the errors, in one line.
    let messages: String

    /// Nil if the answer has data, or no errors. A field that failed is null.
    init?(_ answer: JSONDocument) {
        guard let errors = answer.value(at: JSONPath(member: "errors"))?.elements, !errors.isEmpty else { return nil }
        let data = answer.value(at: JSONPath(member: "data"))
        guard data.map({ $0.isNull || $0.members?.allSatisfy(\.value.isNull) ?? false }) ?? true else { return nil }
        let texts = errors.prefix(3).compactMap { $0.value(at: JSONPath(member: "message"))?.string }
        messages = texts.isEmpty ? "GraphQL errors without a message" : texts.joined(separator: "; ")
    }
}

extension ErrorEnvelope {
    /// The failure of a GraphQL request that this success refuses; nil if it does not.
    var graphQLRefusal: Failure? {
        guard response.status.kind == .successful, let refusal = document.flatMap(GraphQLRefusal.init) else {
            return nil
        }
        return Failure(
            .http(HTTPFailure(response, bodyStart: bytes)), phase: .answered,
            detail: PlainText.oneLine(refusal.messages, limit: 300), underlying: refusal)
    }
}

extension ClaimedWrite {
    /// Whether it is a GraphQL request: a document, or the hash of a persisted one.
    var isGraphQL: Bool {
        if headerFields[.contentType]?.lowercased().hasPrefix("application/graphql") ?? false { return true }
        guard method == .post, let body = body.flatMap({ try? JSONDocument($0) }) else { return false }
        let query = body.value(at: JSONPath(member: "query"))?.string
        return query?.contains("{") ?? false
            || body.value(at: JSONPath(members: ["extensions", "persistedQuery"]))?.kind == .object
    }
}
