/// How far a ``Pager`` has come, to be kept and taken up again, in another process too.
public struct PagerState<Position: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// The page that is asked for next; nil where the listing is whole.
    public var next: Position?
    /// The pages that were delivered, in their order. A listing that leads back to one of them is a loop.
    public var delivered: [Position]

    /// - Parameters:
    ///   - next: the page that is asked for next.
    ///   - delivered: the pages before.
    public init(next: Position?, delivered: [Position] = []) {
        self.next = next
        self.delivered = delivered
    }
}
