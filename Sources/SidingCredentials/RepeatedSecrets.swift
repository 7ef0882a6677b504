// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
internal import SidingSynchronization

/// Finds credentials of a source that the origin repeats in the address of a next page, so that they do not reach the store.
package struct RepeatedSecrets: Sendable {
    /// Query parameters that carry credentials.
    private let names: Set<String>
    /// Credentials that count only as a whole value.
    private let whole: Set<String>
    /// Credentials that count anywhere.
    private let anywhere: [String]

    /// Shorter ones would match parts of other texts.
    private static let shortest = 8

    /// - Parameters:
    ///   - values: the credentials that were sent.
    ///   - url, body: the request for the page that names the next one. Its own values are no secrets even if a credential is
    ///     spelt the same: they come from the config or from a parent.
    package init(_ values: Set<String>, named names: Set<String>, askedFor url: HTTPURL, _ body: String?) {
        self.names = names
        let written = url.queryParameters.compactMap(\.decodedValue)
        let segments = url.path.split(separator: "/").map { HTTPURL.decode(String($0)) }
        whole = values.subtracting(written + segments)
        let own = url.description + (body ?? "")
        anywhere = values.filter { $0.utf8.count >= Self.shortest && !Self.holds(own, $0) }
    }

    /// `url` without the query parameters whose name or value contains a credential.
    ///
    /// - Throws: a contract failure if one is elsewhere, such as in the path, where it cannot be removed.
    package func removed(from url: HTTPURL) throws(Failure) -> HTTPURL {
        let clean = url.removingQuery(named: names, valued: whole)
        guard holdsOne(clean.description) else { return clean }
        let kept = clean.queryParameters.map(\.text).filter { !holdsOne(String($0)) }
        let rest = clean.with(query: kept.isEmpty ? nil : kept.joined(separator: "&"))
        guard !holdsOne(rest.description) else { throw Self.fault("path") }
        return rest
    }

    /// - Throws: a contract failure if `body`, which holds a token from the answer, contains a credential.
    package func check(_ body: String?) throws(Failure) {
        guard let body, holdsOne(body) else { return }
        throw Self.fault("body")
    }

    private static func fault(_ place: String) -> Failure {
        Failure(
            .contract, phase: .answered,
            detail:
                "the request for the next page would repeat a credential of the source in its \(place): it is not sent, "
                + "and not stored")
    }

    private func holdsOne(_ text: String) -> Bool { anywhere.contains { Self.holds(text, $0) } }

    /// Whether `text` contains `secret`, plain or percent-encoded.
    package static func holds(_ text: String, _ secret: String) -> Bool {
        // A plus is literal in a path, but a space in a query. A reference with invalid characters has its percent signs
        // encoded again.
        let decoded = HTTPURL.decode(text)
        let spellings = [
            text, decoded, HTTPURL.decode(text.replacing("+", with: "%2B")), HTTPURL.decode(decoded),
        ]
        return spellings.contains { $0.utf8.firstRange(of: secret.utf8) != nil }
    }
}

/// Collects the credentials that requests carry. If an origin repeats them in a next link, under any name, or in the sentence of
/// a refusal, they must not reach the store.
package final class PageCredentials: Sendable {
    private let field: HTTPField.Name?
    private let queryNames: Set<String>
    private let found = Mutex<Set<String>>([])

    package init(_ authorization: Authorization) {
        (field, queryNames) = (authorization.field, authorization.secretQueryNames)
    }

    package var values: Set<String> { found.withLock { $0 } }

    /// `text` without the credentials; nil if it has one in another spelling.
    package func removed(from text: String) -> String? {
        // Longest first: one may be part of another.
        let secrets = values.sorted { $0.utf8.count > $1.utf8.count }
        let rest = secrets.reduce(text) { $0.replacing($1, with: "…") }
        return secrets.contains { RepeatedSecrets.holds(rest, $0) } ? nil : rest
    }

    /// The transport, wrapped to collect credentials; unchanged if the source has none.
    package func noting(_ transport: any Transport) -> any Transport {
        field == nil && queryNames.isEmpty ? transport : ObservingTransport(transport) { self.note($0) }
    }

    private func note(_ request: HTTPRequest) {
        var carried: Set<String> = []
        if let field, let value = request.headerFields[field] {
            carried = SentCredential.parts(of: value)
        }
        for parameter in QueryParameter.all(in: (request.path ?? "").drop { $0 != "?" }.dropFirst())
        where queryNames.contains(parameter.name) {
            carried.formUnion(parameter.decodedValue.map { [$0] } ?? [])
        }
        carried = carried.filter { $0.utf8.count >= SentCredential.shortest }
        found.withLock { $0.formUnion(carried) }
    }
}
