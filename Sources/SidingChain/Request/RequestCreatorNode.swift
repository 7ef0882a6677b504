// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// Supplies header fields that may change between attempts, such as an access token.
public protocol MetadataProvider: Sendable {
    /// The fields for the next attempt of the call that `context` belongs to.
    func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields
}

/// Builds the HTTP request of a draft: route, header fields, and the current fields of each provider.
///
/// Header names are case-insensitive. Fields are set, not added. Providers are called in order, and a later one wins.
public struct RequestCreatorNode: Node {
    private let providers: [any MetadataProvider]
    private let secretQueryNames: Set<String>

    /// - Parameters:
    ///   - providers: called in order on each attempt.
    ///   - secretQueryNames: query parameters that errors and logs must not show, in addition to the well-known ones.
    public init(providers: [any MetadataProvider] = [], secretQueryNames: Set<String> = []) {
        self.providers = providers
        self.secretQueryNames = secretQueryNames
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> OutgoingRequest {
        var fields = input.headerFields
        for provider in providers {
            do {
                let given = try await provider.metadata(context)
                for field in given { fields[values: field.name] = given[values: field.name] }
            } catch {
                throw error.at(node: name, method: input.route.method.rawValue, url: shown(input.route))
            }
        }
        try check(input.route)
        return OutgoingRequest(
            request: input.route.url.request(input.route.method, headerFields: fields), body: input.body,
            secretQueryNames: secretQueryNames)
    }

    private func shown(_ route: RequestRoute) -> String { Redaction.url(route.url, also: secretQueryNames) }

    /// The method must be a token (RFC 9110 §9.1), because a library below writes it to the wire unchecked.
    private func check(_ route: RequestRoute) throws(Failure) {
        guard HTTPRequest.Method(route.method.rawValue) != nil else {
            throw Failure(.invalidRequest, phase: .notSent, detail: "'\(route.method.rawValue)' is no HTTP method")
                .at(node: name, url: shown(route))
        }
    }
}

/// Adds the same header fields to every request (locale, client version); the request's own fields win.
public struct HeaderInjectorNode: Node {
    private let headerFields: HTTPFields

    /// Adds `headerFields` to each request that lacks a field of the same name. Repeated names are joined into one field.
    public init(_ headerFields: HTTPFields) {
        // Computed once: repeated names are combined into one field, for drafts without fields of their own.
        var injected = HTTPFields()
        for field in headerFields where injected[field.name] == nil {
            injected[field.name] = headerFields[field.name]
        }
        self.headerFields = injected
    }

    public func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> RequestDraft {
        var draft = input
        guard !input.headerFields.isEmpty else {
            draft.headerFields = headerFields
            return draft
        }
        for field in headerFields where !input.headerFields.contains(field.name) {
            draft.headerFields.append(field)
        }
        return draft
    }
}
