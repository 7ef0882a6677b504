// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// The target of a builder's requests. The values of placeholders are known only for each call.
enum RequestTarget: Sendable {
    /// The builder has no route yet.
    case missing
    case url(HTTPRequest.Method, HTTPURL)
    /// A template under a base, or under that of the builder, with the values that are the same for all calls.
    case path(HTTPRequest.Method, String, under: HTTPURL?, [String: String])

    /// The route of one call.
    ///
    /// - Parameters:
    ///   - base: the builder's.
    ///   - parameters: the values that come from the input.
    /// - Throws: `Failure.Reason.invalidRequest` if there is no route or no base, a placeholder without a value, or a value
    ///   without a placeholder.
    func route(under base: HTTPURL?, _ parameters: [String: String]) throws(Failure) -> RequestRoute {
        switch self {
        case .missing:
            throw Self.refusal("the chain was built without a route")
        case .url(let method, let url):
            try RequestRoute.checkPlaceholders(of: Redaction.url(url), for: parameters)
            return RequestRoute(method, url)
        case .path(let method, let template, let own, let fixed):
            guard let base = own ?? base else {
                throw Self.refusal(
                    "the path '\(template)' has no base: give it one by 'under:', or the builder by 'baseURL:'")
            }
            let values = fixed.merging(parameters) { _, later in later }
            try RequestRoute.checkPlaceholders(of: template, for: values)
            return try RequestRoute(method, template, under: base, parameters: values)
        }
    }

    private static func refusal(_ why: String) -> Failure {
        Failure(.invalidRequest, phase: .notSent, detail: why)
    }
}
