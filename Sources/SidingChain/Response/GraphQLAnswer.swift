// SPDX-License-Identifier: Apache-2.0
package import SidingJSON

/// What an answer with a success status says of a GraphQL request, alone or in a batch
/// (https://spec.graphql.org/draft/#sec-Response-Format).
package enum GraphQLAnswer {
    /// It has data.
    case delivered
    /// It has errors and no data: their messages, in one line.
    case refused(String)
    /// Some parts of a batch, or some of several mutations, were refused: the messages, in one line.
    case partly(String)
    /// It has neither, or cannot be read.
    case unclear

    package init(_ bytes: [UInt8], limits: JSONLimits) {
        guard let document = try? JSONDocument(bytes.withoutByteOrderMark, limits: limits) else {
            self = .unclear
            return
        }
        let parts = document.elements ?? [document]
        let refusals = parts.map(\.refusals)
        if refusals.contains(where: { !$0.errors.isEmpty }) {
            let texts = refusals.flatMap(\.errors).prefix(3).compactMap {
                $0.string ?? $0.value(at: JSONPath(member: "message"))?.string
            }
            let why = texts.isEmpty ? "GraphQL errors without a message" : texts.joined(separator: "; ")
            self = refusals.allSatisfy(\.isOfAll) ? .refused(why) : .partly(why)
        } else {
            self = parts.isEmpty || parts.contains { $0.data.isNull } ? .unclear : .delivered
        }
    }
}

extension JSONDocument {
    fileprivate var data: JSONDocument { value(at: JSONPath(member: "data")) ?? .null }

    /// Whether there is no data, or that of each field is null: a field that failed is null.
    fileprivate var hasNoData: Bool { data.isNull || data.members?.allSatisfy(\.value.isNull) ?? false }

    /// The errors by which it was refused, and whether nothing was done.
    ///
    /// A mutation may be refused in its own payload: by `userErrors`, beside null in place of its result
    /// (https://shopify.dev/docs/api/usage/response-codes).
    fileprivate var refusals: (errors: [JSONDocument], isOfAll: Bool) {
        if hasNoData { return (errors, !errors.isEmpty) }
        // Of several mutations, one that failed is null.
        if !errors.isEmpty, data.members?.contains(where: \.value.isNull) ?? false { return (errors, false) }
        let payloads = (data.members ?? []).map { $0.value.payloadRefusal(called: $0.name) }
        return (payloads.flatMap(\.errors), payloads.allSatisfy(\.isOfAll))
    }

    /// The same of the payload of one mutation: it is refused as a whole where its result is null.
    private func payloadRefusal(called name: String) -> (errors: [JSONDocument], isOfAll: Bool) {
        let (lists, others) = (members ?? []).reduce(into: ([JSONDocument](), [JSONDocument]())) { parts, member in
            if member.name.lowercased().hasSuffix("errors"), member.value.elements != nil {
                parts.0.append(member.value)
            } else {
                parts.1.append(member.value)
            }
        }
        let errors = lists.flatMap { $0.elements ?? [] }.filter { !$0.isNull }
        let flag = members?.first { ["success", "ok", "successful"].contains($0.name) && $0.value.bool == false }
        let words = ["message", "error", "reason"].lazy.compactMap { self.value(at: JSONPath(member: $0))?.string }
            .first
        // Beside an id alone it is a column of the record.
        let isColumn = words == nil && members?.contains { $0.name == "id" && !$0.value.isNull } ?? false
        guard errors.isEmpty, let flag, !isColumn else {
            return (errors, !errors.isEmpty && others.allSatisfy { $0.isNull || $0.bool != nil })
        }
        let why = words.flatMap(\.nonEmpty) ?? "\(name).\(flag.name) is false"
        return ([JSONDocument(string: why)], others.allSatisfy { $0.members == nil && $0.elements == nil })
    }

    /// The errors: a list by the specification; some origins write one alone.
    fileprivate var errors: [JSONDocument] {
        let errors = value(at: JSONPath(member: "errors")) ?? .null
        return errors.isNull || errors.bool == false ? [] : errors.elements ?? [errors]
    }

    /// Whether it is a GraphQL request (https://graphql.github.io/graphql-over-http/draft/#sec-Request-Parameters): a document, the
    /// hash of a persisted one, or a batch of them. Texts of other query languages are none.
    package var isGraphQLRequest: Bool {
        if let elements { return elements.contains(where: \.isGraphQLRequest) }
        if value(at: JSONPath(members: ["extensions", "persistedQuery"]))?.kind == .object { return true }
        guard let text = value(at: JSONPath(member: "query"))?.string, text.contains("{") else { return false }
        let start = text.split(whereSeparator: \.isNewline).lazy
            .map { $0.drop { $0.isWhitespace || $0 == "," || $0 == "\u{FEFF}" } }
            .first { !$0.isEmpty && $0.first != "#" }
        let word = start?.prefix { $0.isLetter || $0 == "_" } ?? ""
        if ["mutation", "query", "subscription", "fragment"].contains(word) { return true }
        let own: Set = ["query", "variables", "operationName", "extensions"]
        return start?.first == "{" && members?.allSatisfy { own.contains($0.name) } ?? false
    }
}

extension String {
    /// Whether it is a media type of GraphQL, of a request or of an answer.
    package var isGraphQLType: Bool { lowercased().hasPrefix("application/graphql") }
}
