public import SidingChain

/// One page to ask for: the checkpoint of a listing, and what the queue retains of a fetch.
public struct PageRequest: Sendable, Hashable {
    /// The page's URL without credentials.
    public var url: HTTPURL
    /// The body that it is asked for with; nil for none.
    public var body: String?
    /// The key of the record that the listing is about; empty where the resource has one listing only.
    public var scope: String
    /// The page's place in its listing, from 1.
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
    /// What tells the page apart from others of its listing.
    package struct Address: Sendable, Hashable {
        package var url: HTTPURL
        package var body: String?
    }

    package var address: Address { Address(url: url, body: body) }
}

/// What follows a page.
public enum NextPage: Sendable, Hashable {
    case page(PageRequest)
    /// The listing is whole.
    case end
    /// The listing stops before its end, and why: a loop, `max_pages`, `--limit`.
    case cut(String)
}
