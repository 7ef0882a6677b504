public import HTTPTypes

/// Decides under which key a request's answer is stored, and keeps every credential out of it.
///
/// Give the node that asks the cache (``CacheReaderNode``) and the one that fills it (``ETagNode``) the same keying, or
/// they will not find each other's answers.
public struct CacheKeying: Sendable {
    /// Names whose credentials requests carry: it must differ where the credentials may see different things.
    public var account: String
    /// Query parameters that carry credentials, beside those of ``Redaction/secretQueryNames``.
    public var secretQueryNames: Set<String>
    /// Query parameters that are no credentials although their names look like it, such as `code` or `key`. A name that is
    /// declared as both is secret.
    public var plainQueryNames: Set<String>
    /// Header fields that carry credentials, beside those of ``Redaction/secretHeaderNames``.
    public var credentialFieldNames: Set<HTTPField.Name>

    /// Header fields that carry API keys, in lower case. Unlike tokens they do not change while the account stays the same,
    /// so another key is another reader: what was answered to one is never an answer to another.
    public static let apiKeyFieldNames: Set<String> = [
        "api-key", "apikey", "ocp-apim-subscription-key", "x-api-key", "x-goog-api-key",
    ]

    /// Names that carry credentials with some origins and tell answers apart with others: leaving such a parameter out
    /// could give one answer for another, keeping it could write a secret to disk. Only a declaration decides.
    public static let ambiguousQueryNames: Set<String> = ["auth", "code", "key", "token"]

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
    /// - Throws: ``Failure/Reason/notCached`` that says why no answer to it is kept: another method than GET and HEAD, a
    ///   `Range`, `Cache-Control: no-store`, or a query parameter of ``ambiguousQueryNames`` that nobody declared.
    public func request(_ request: HTTPRequest) throws(Failure) -> CacheRequest {
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

    /// The URL with its query sorted by name and without credentials; parameters of one name keep their order.
    func canonical(_ url: HTTPURL) -> String {
        guard url.query != nil else { return url.description }
        let kept = url.queryParameters.filter { !isSecret($0.name) }
        // Sorting is stable only where it is made so.
        let sorted = kept.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        let joined = sorted.map(\.element.text).joined(separator: "&")
        return url.with(query: joined.isEmpty ? nil : joined).description
    }

    /// What the origin varies on, with the values of `request`; nil where no later request could be told to match: `*`,
    /// or a cookie, whose value is not kept. An API key is varied on in any case, by its digest. Of other credentials a
    /// ``CacheRequest`` knows nothing, so that they match any: the account stands for them.
    func variant(_ answer: HTTPFields, _ request: CacheRequest) -> CacheVariant? {
        let names = answer[values: .vary].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty }
        let apiKeys = request.headerFields.map(\.name.canonicalName).filter(Self.apiKeyFieldNames.contains)
        let fields = Set(names + apiKeys).map {
            CacheVariant.Field(name: $0, value: CacheVariant.value(of: $0, in: request.headerFields))
        }
        let isUnknowable = fields.contains { $0.name == "*" || ($0.name == Self.cookie && $0.value != nil) }
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
        Self.ambiguousQueryNames.contains(name.lowercased()) && !secretQueryNames.contains(name)
            && !plainQueryNames.contains(name)
    }

    private func isCredential(_ canonicalName: String) -> Bool {
        // Of a cookie it is seen that there is one.
        if canonicalName == "cookie" { return false }
        return Self.apiKeyFieldNames.contains(canonicalName) || Redaction.secretHeaderNames.contains(canonicalName)
            || credentialFieldNames.contains { $0.canonicalName == canonicalName }
    }

    /// That there is a cookie stays to be seen, since an answer may vary on it; what it says does not. Of an API key there
    /// stays a digest, which tells two apart; keys are random and long, so that nobody finds one by its digest.
    private func withoutCredentials(_ fields: HTTPFields) -> HTTPFields {
        var kept = HTTPFields(fields.filter { !isCredential($0.name.canonicalName) })
        if kept[.cookie] != nil { kept[.cookie] = "…" }
        for field in fields where Self.apiKeyFieldNames.contains(field.name.canonicalName) {
            kept.append(HTTPField(name: field.name, value: "sha256:\(SHA256.hexadecimal(field.value))"))
        }
        return kept
    }
}
