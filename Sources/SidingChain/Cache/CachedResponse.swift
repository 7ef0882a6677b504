public import HTTPTypes

/// A stored answer without its body: what decides whether it is asked about, given, or thrown away.
public struct CachedHead: Sendable, Hashable {
    public var key: CacheKey
    public var variant: CacheVariant
    public var status: Int
    /// The fields worth keeping, `ETag`, `Last-Modified` and `Vary` among them; no cookies, nothing of the connection.
    public var headerFields: HTTPFields
    /// Where the answer came from, after redirects, in the form of ``CacheKey/url``.
    public var url: String
    /// When the origin last gave or confirmed the answer: seconds since 1970 UTC.
    public var storedAt: Double
    /// How old the answer was at ``storedAt`` (RFC 9111 §4.2.3).
    public var initialAge: Duration

    public init(
        key: CacheKey, variant: CacheVariant = CacheVariant(), status: Int, headerFields: HTTPFields, url: String,
        storedAt: Double, initialAge: Duration = .zero
    ) {
        (self.key, self.variant, self.status) = (key, variant, status)
        (self.headerFields, self.url) = (headerFields, url)
        (self.storedAt, self.initialAge) = (storedAt, initialAge)
    }

    /// The entity tag as the origin wrote it, quotes and a `W/` included.
    public var etag: String? { headerFields[.eTag] }

    public var lastModified: String? { headerFields[.lastModified] }

    /// What the answer counts beside its body: fields, key, and a share for the row around them.
    public var byteCount: Int {
        let kept = headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        let varied = variant.fields.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) }
        return kept + varied + key.url.utf8.count + url.utf8.count + 256
    }

    /// Whether the origin can be asked whether the answer still holds.
    public var hasValidator: Bool { etag != nil || lastModified != nil }

    /// Whether `other` names the same state of the resource: a body may be joined with it.
    public func hasValidators(of other: CachedHead) -> Bool {
        etag == other.etag && lastModified == other.lastModified
    }
}

/// A stored answer: validators and body together, since one is worth nothing without the other.
public struct CachedResponse: Sendable, Hashable {
    public var head: CachedHead
    /// The bytes as they came, decompressed.
    public var body: [UInt8]

    public init(head: CachedHead, body: [UInt8]) {
        (self.head, self.body) = (head, body)
    }

    /// What the answer counts towards a cache's limit.
    public var byteCount: Int { head.byteCount + body.count }
}

/// Whose answer to which request: the primary key of a ``ResponseCache``.
///
/// What the origin varies on beside it is a ``CacheVariant``. No key holds a credential: the account stands for them.
public struct CacheKey: Sendable, Hashable {
    /// Whose credentials the request carries; two accounts never share an answer.
    public var account: String
    /// `GET` or `HEAD`.
    public var method: String
    /// The canonical URL: query parameters sorted by name, those of one name in their own order, credentials left out.
    public var url: String

    public init(account: String, method: String, url: String) {
        (self.account, self.method, self.url) = (account, method, url)
    }
}

/// A request as a cache sees it: its key, and the header fields that an answer may vary on. Made by ``CacheKeying``.
public struct CacheRequest: Sendable, Hashable {
    public var key: CacheKey
    /// The request's fields, credentials left out.
    public var headerFields: HTTPFields

    public init(key: CacheKey, headerFields: HTTPFields = [:]) {
        (self.key, self.headerFields) = (key, headerFields)
    }
}

/// The request fields that an origin varies on, with the values they had: the secondary key of a stored answer
/// (RFC 9111 §4.1).
public struct CacheVariant: Sendable, Hashable {
    /// One field of `Vary`, and what the request said of it.
    public struct Field: Sendable, Hashable {
        /// In lower case.
        public var name: String
        /// Nil where the request had no such field.
        public var value: String?

        public init(name: String, value: String?) {
            (self.name, self.value) = (name.lowercased(), value)
        }
    }

    /// Sorted by name; empty where the origin varies on nothing.
    public let fields: [Field]

    public init(_ fields: [Field] = []) {
        self.fields = fields.sorted { $0.name < $1.name }
    }

    /// Whether an answer of this variant is one to `request`.
    public func matches(_ request: CacheRequest) -> Bool {
        fields.allSatisfy { $0.value == Self.value(of: $0.name, in: request.headerFields) }
    }

    /// Whether both came from the same `Vary`, whatever the values.
    public func hasNames(of other: CacheVariant) -> Bool {
        fields.map(\.name) == other.fields.map(\.name)
    }

    /// The lines of a field, combined and without space around them, as §4.1 compares them.
    static func value(of name: String, in fields: HTTPFields) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let lines = fields[values: name]
        guard !lines.isEmpty else { return nil }
        return lines.map { line in
            String(line.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed())
        }.joined(separator: ", ")
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
