/// What asking for one page gives: the page, and where the next one lies.
public struct PagerAnswer<Page: Sendable, Position: Sendable>: Sendable {
    public var page: Page
    /// Nil where this page is the last.
    public var next: Position?

    public init(page: Page, next: Position?) {
        self.page = page
        self.next = next
    }
}
