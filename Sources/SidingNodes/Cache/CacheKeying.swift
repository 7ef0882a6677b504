// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
package import SidingChain

/// Computes the key under which a response is stored, without any credentials.
///
/// The node that reads the cache (``CacheReaderNode``) and the one that fills it (``ETagNode``) must have the same keying, or
/// neither finds the other's responses.
public struct CacheKeying: Sendable {
    /// Identifies the credentials of the requests: it must differ if they may see different data.
    public var account: String
    /// Query parameters that carry credentials, in addition to those with well-known names.
    public var secretQueryNames: Set<String>
    /// Query parameters that are not credentials although they are named like one, such as `code` or `key`. A name declared as
    /// both is secret.
    public var plainQueryNames: Set<String>
    /// Header fields that carry credentials, in addition to the well-known ones.
    public var credentialFieldNames: Set<HTTPField.Name>

    /// Header fields that carry API keys, in lower case. Unlike tokens they stay the same for an account, so another key means
    /// another reader: responses are never shared between keys.
    static let apiKeyFieldNames: Set<String> = [
        "api-key", "apikey", "ocp-apim-subscription-key", "x-api-key", "x-goog-api-key",
    ]

    /// Names that are credentials at some origins and ordinary parameters at others. Omitting such a parameter could return a
    /// wrong response, keeping it could write a secret to disk, so it must be declared.
    package static let ambiguousQueryNames = Redaction.ambiguousQueryNames.union(["auth", "token"])

    /// Declares what is a credential at this origin. By default only the well-known names are; a request with an undeclared
    /// ambiguous parameter, such as `token`, is not cached.
    public init(
        account: String, secretQueryNames: Set<String> = [], plainQueryNames: Set<String> = [],
        credentialFieldNames: Set<HTTPField.Name> = []
    ) {
        self.account = account
        self.secretQueryNames = secretQueryNames
        self.plainQueryNames = plainQueryNames
        self.credentialFieldNames = credentialFieldNames
    }

    /// The request as a cache sees it.
    ///
    /// - Throws: `Failure.Reason.notCached` if its responses are not stored, with the reason: a method other than GET and
    ///   HEAD, a `Range`, `Cache-Control: no-store`, or an undeclared query parameter of ``ambiguousQueryNames``.
    package func request(_ request: HTTPRequest) throws(Failure) -> CacheRequest {
        guard request.method == .get || request.method == .head else {
            throw Self.refusal("only answers to GET and HEAD are kept")
        }
        guard request.headerFields[.range] == nil else { throw Self.refusal("a part of an answer is not kept") }
        guard !CacheControl(request.headerFields).forbidsStoring else { throw Self.refusal("it says no-store") }
        let url = try request.checkedURL()
        if let name = url.queryParameters.map(\.name).first(where: isUndeclared) {
            throw Self.refusal(
                "its query parameter '\(name)' may be a credential: declare it as secret or as plain")
        }
        let key = CacheKey(account: account, method: request.method.rawValue, url: canonical(url))
        return CacheRequest(key: key, headerFields: withoutCredentials(request.headerFields))
    }

    /// The same request with another method.
    func request(_ request: HTTPRequest, as method: HTTPRequest.Method) throws(Failure) -> CacheRequest {
        var other = request
        other.method = method
        return try self.request(other)
    }

    /// The URL with its query sorted by name and without credentials; parameters of the same name keep their order.
    func canonical(_ url: HTTPURL) -> String {
        guard url.query != nil else { return url.description }
        let kept = url.queryParameters.filter { !isSecret($0.name) }
        // Sorted by name and position, since `sorted` need not be stable.
        let sorted = kept.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        let joined = sorted.map(\.element.text).joined(separator: "&")
        return url.with(query: joined.isEmpty ? nil : joined).description
    }

    /// The values in `request` of the fields that the origin varies on; nil if no later request could be matched: `*`, or a
    /// cookie, whose value is not stored. API keys always count, by digest. Other credentials are not part of a
    /// `CacheRequest`, so they match any value: the account represents them.
    func variant(_ answer: HTTPFields, _ request: CacheRequest) -> CacheVariant? {
        let names = answer[values: .vary].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty }
        let apiKeys = request.headerFields.map(\.name.canonicalName).filter(Self.apiKeyFieldNames.contains)
        let values = (names + apiKeys).map { ($0, CacheVariant.value(of: $0, in: request.headerFields)) }
        let fields = Dictionary(values) { first, _ in first }
        let isUnknowable = fields.contains { $0.key == "*" || ($0.key == Self.cookie && $0.value != nil) }
        return isUnknowable ? nil : CacheVariant(fields)
    }

    private static let cookie = HTTPField.Name.cookie.canonicalName

    private static func refusal(_ why: String) -> Failure {
        Failure(.notCached, phase: .notSent, detail: why)
    }

    private func isSecret(_ name: String) -> Bool {
        secretQueryNames.contains(name) || !plainQueryNames.contains(name) && Redaction.isSecret(queryName: name)
    }

    private func isUndeclared(_ name: String) -> Bool {
        Self.ambiguousQueryNames.contains(Redaction.plain(name)) && !secretQueryNames.contains(name)
            && !plainQueryNames.contains(name)
    }

    private func isCredential(_ canonicalName: String) -> Bool {
        // Only the presence of a cookie is kept.
        if canonicalName == "cookie" { return false }
        return Self.apiKeyFieldNames.contains(canonicalName) || Redaction.secretHeaderNames.contains(canonicalName)
            || credentialFieldNames.contains { $0.canonicalName == canonicalName }
    }

    /// Keeps the presence of a cookie but not its value, since a response may vary on it. Keeps a digest of an API key, to
    /// distinguish two keys; keys are random and long, so the digest does not reveal them.
    private func withoutCredentials(_ fields: HTTPFields) -> HTTPFields {
        var kept = HTTPFields(fields.filter { !isCredential($0.name.canonicalName) })
        if kept[.cookie] != nil { kept[.cookie] = "…" }
        for field in fields where Self.apiKeyFieldNames.contains(field.name.canonicalName) {
            kept.append(HTTPField(name: field.name, value: "sha256:\(SHA256.hexadecimal(field.value))"))
        }
        return kept
    }
}
