// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// A stored response without its body: decides whether the response is revalidated, used, or removed.
public struct CachedHead: Sendable, Hashable {
    /// The request that the response answered: account, method and URL.
    public var key: CacheKey
    /// The request fields that the origin varied on; one key may have several responses with different variants.
    public var variant: CacheVariant
    /// The status of the original response; `ETagNode` stores only 200.
    public var status: Int
    /// The stored fields, including `ETag`, `Last-Modified` and `Vary`; no cookies and no connection fields.
    public var headerFields: HTTPFields
    /// The URL of the response, after redirects, in the form of ``CacheKey/url``.
    public var url: String
    /// When the origin last sent or confirmed the response: seconds since 1970 UTC.
    public var storedAt: Double
    /// The age of the response at ``storedAt`` (RFC 9111 §4.2.3).
    public var initialAge: Duration

    /// A head for a test or a cache of your own; `ETagNode` makes those of real responses.
    public init(
        key: CacheKey, variant: CacheVariant = CacheVariant(), status: Int, headerFields: HTTPFields, url: String,
        storedAt: Double, initialAge: Duration = .zero
    ) {
        (self.key, self.variant, self.status) = (key, variant, status)
        (self.headerFields, self.url) = (headerFields, url)
        (self.storedAt, self.initialAge) = (storedAt, initialAge)
    }

    /// The entity tag exactly as the origin wrote it, with quotes and `W/`; nil also if it wrote several.
    package var etag: String? { headerFields.entityTag }

    package var lastModified: String? { headerFields.lastModified }

    /// The size without the body: fields, key, and a share for the row around them.
    public var byteCount: Int {
        let kept = headerFields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        let varied = variant.fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) }
        return kept + varied + key.url.utf8.count + url.utf8.count + 256
    }

    /// Whether the origin can revalidate the response.
    package var hasValidator: Bool { etag != nil || lastModified != nil }

    /// Whether `other` has the same validators, so that this body belongs to it.
    public func hasValidators(of other: CachedHead) -> Bool {
        etag == other.etag && lastModified == other.lastModified
    }
}

/// A stored response: validators and body together, since neither is of use without the other.
public struct CachedResponse: Sendable, Hashable {
    /// All but the body.
    public var head: CachedHead
    /// The decompressed bytes.
    public var body: [UInt8]

    /// Joins a head and a body that belong together; `body` is decompressed.
    public init(head: CachedHead, body: [UInt8]) {
        (self.head, self.body) = (head, body)
    }

    /// The size that counts towards a cache's limit.
    public var byteCount: Int { head.byteCount + body.count }
}

/// The primary key of a ``ResponseCache``: account, method and URL.
///
/// The fields that the origin varies on are in a ``CacheVariant``. No key holds a credential: the account represents them.
public struct CacheKey: Sendable, Hashable {
    /// Identifies the request's credentials; two accounts never share a response.
    public var account: String
    /// `GET` or `HEAD`.
    public var method: String
    /// The canonical URL: query parameters sorted by name, in stable order, credentials left out.
    public var url: String

    /// A key whose URL is canonical already. `CacheKeying` makes it so; a store only reads back what it was given.
    public init(account: String, method: String, url: String) {
        (self.account, self.method, self.url) = (account, method, url)
    }
}

/// A request as a cache sees it: its key, and the header fields that a response may vary on. Made by `CacheKeying`.
public struct CacheRequest: Sendable, Hashable {
    /// The key under which responses to this request are stored.
    public var key: CacheKey
    /// The request's fields without credentials.
    public var headerFields: HTTPFields

    /// A request whose fields are free of credentials already.
    public init(key: CacheKey, headerFields: HTTPFields = [:]) {
        (self.key, self.headerFields) = (key, headerFields)
    }
}

/// The request fields that an origin varies on, with their values: the secondary key of a stored response (RFC 9111 §4.1).
public struct CacheVariant: Sendable, Hashable {
    /// The values by name in lower case, nil for a field that the request does not have. Empty if the origin varies on nothing.
    public let fields: [String: String?]

    /// The values by name, nil for a field that the request lacks. Names are put into lower case; by default the origin
    /// varies on nothing.
    public init(_ fields: [String: String?] = [:]) {
        self.fields = Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { _, last in last }
    }

    /// Whether a response of this variant may be used for `request`.
    public func matches(_ request: CacheRequest) -> Bool {
        fields.allSatisfy { $0.value == Self.value(of: $0.key, in: request.headerFields) }
    }

    /// Whether both have the same `Vary` names, whatever the values.
    public func hasNames(of other: CacheVariant) -> Bool {
        fields.keys == other.fields.keys
    }

    /// The lines of a field, joined and without surrounding space, as §4.1 compares them.
    package static func value(of name: String, in fields: HTTPFields) -> String? {
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
