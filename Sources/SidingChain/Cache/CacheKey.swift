public import HTTPTypes

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
