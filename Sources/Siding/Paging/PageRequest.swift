public import SidingChain

/// One page to ask for: the checkpoint of a listing, and what the queue retains of a fetch.
public struct PageRequest: Sendable, Hashable {
    /// The page's URL without credentials.
    public var url: HTTPURL
    /// The page's place in its listing, from 1.
    public var number: Int
    /// The number of records on the pages before.
    public var offset: Int

    public init(url: HTTPURL, number: Int, offset: Int) {
        self.url = url
        self.number = number
        self.offset = offset
    }
}

/// What follows a page.
public enum NextPage: Sendable, Hashable {
    case page(PageRequest)
    /// The listing is whole.
    case end
    /// The listing stops before its end, and why: a loop, `max_pages`, `--limit`.
    case cut(String)
}
