public import HTTPTypes
public import SidingChain

/// What a person changes about a write.
public struct WriteChange: Sendable, Hashable {
    /// Nil leaves the URL as it is. An edit of a record stays one of that record.
    public var url: HTTPURL?
    /// Nil leaves the body as it is.
    public var body: [UInt8]?
    /// Nil leaves the fields as they are.
    public var headerFields: HTTPFields?
    /// Whether an entry that was parked goes back to the queue at once, as it does unless said otherwise; if not, it is held
    /// until it is released.
    public var releases: Bool

    public init(
        url: HTTPURL? = nil, body: [UInt8]? = nil, headerFields: HTTPFields? = nil, releases: Bool = true
    ) {
        (self.url, self.body, self.headerFields, self.releases) = (url, body, headerFields, releases)
    }
}
