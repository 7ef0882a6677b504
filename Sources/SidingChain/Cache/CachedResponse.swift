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
