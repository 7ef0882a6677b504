public import SidingChain

/// One page request; also a listing's checkpoint, and the request that the queue retains for a fetch.
public struct PageRequest: Sendable, Hashable {
    /// The page's URL, without credentials.
    public var url: HTTPURL
    /// The request's body; nil for none.
    public var body: String?
    /// The key of the parent; empty if the resource has a single listing.
    public var scope: String
    /// The page's number in its listing, from 1.
    public var number: Int
    /// The number of records on the pages before.
    public var offset: Int

    public init(url: HTTPURL, body: String? = nil, scope: String = "", number: Int, offset: Int) {
        self.url = url
        self.body = body
        self.scope = scope
        self.number = number
        self.offset = offset
    }
}

extension PageRequest {
    /// Identifies the page within its listing.
    package struct Address: Sendable, Hashable {
        package var url: HTTPURL
        package var body: String?
    }

    package var address: Address { Address(url: url, body: body) }
}

/// What follows a page.
public enum NextPage: Sendable, Hashable {
    case page(PageRequest)
    /// The listing is complete.
    case end
    /// The listing stops before its end, and why: a loop, `max_pages`, `--limit`.
    case cut(String)
}
