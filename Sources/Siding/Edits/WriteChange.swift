public import HTTPTypes
public import SidingChain

/// An operator's changes to the request of a write.
public struct WriteChange: Sendable, Hashable {
    /// Nil keeps the URL. An edit stays on its record.
    public var url: HTTPURL?
    /// Nil keeps the body.
    public var body: [UInt8]?
    /// Nil keeps the fields.
    public var headerFields: HTTPFields?
    /// Whether the entry returns to the queue at once, which is the default; otherwise it is held until released.
    public var releases: Bool

    public init(
        url: HTTPURL? = nil, body: [UInt8]? = nil, headerFields: HTTPFields? = nil, releases: Bool = true
    ) {
        (self.url, self.body, self.headerFields, self.releases) = (url, body, headerFields, releases)
    }
}
