internal import SidingSynchronization

/// The pages of a listing, one after the other, as an `AsyncSequence`.
///
/// ```swift
/// let pager = Pager(from: PagerPosition.page(1)) { position in
///     let issues = try await chain.process(route.at(position), context())
///     return PagerAnswer(page: issues, next: position.next(after: issues.count))
/// }
/// for try await issues in pager { show(issues) }
/// ```
///
/// ``next()`` may be called from many tasks at once: pages are asked for one at a time, each is delivered to exactly one
/// caller, in order of asking. All iterations of one pager share its place. A page that failed, or whose caller was
/// cancelled while it was on its way, is asked for again by the next call.
public final class Pager<Page: Sendable, Position: Sendable & Hashable & Codable>: AsyncSequence, Sendable {
    public typealias Element = Page
    public typealias Failure = SidingChain.Failure

    private let first: Position
    private let maxPages: Int?
    private let ask: @Sendable (Position) async throws -> PagerAnswer<Page, Position>
    private let listing: Mutex<Listing>

    /// A pager that asks a closure.
    ///
    /// - Parameters:
    ///   - first: where the listing begins.
    ///   - maxPages: after so many pages, restored ones included, the sequence ends though more may follow
    ///     (``isComplete`` tells); nil for no such end.
    ///   - ask: gives the page at a position. What it throws becomes the failure of that ``next()``.
    public init(
        from first: Position, maxPages: Int? = nil,
        ask: @escaping @Sendable (Position) async throws -> PagerAnswer<Page, Position>
    ) {
        self.first = first
        self.maxPages = maxPages
        self.ask = ask
        self.listing = Mutex(Listing(PagerState(next: first)))
    }

    /// A pager that asks a chain.
    ///
    /// - Parameter context: makes the context of each page's call.
    public convenience init(
        from first: Position, maxPages: Int? = nil, node: some Node<Position, PagerAnswer<Page, Position>>,
        context: @escaping @Sendable () -> ChainContext
    ) {
        self.init(from: first, maxPages: maxPages) { position in try await node.process(position, context()) }
    }

    /// Whether the last page was delivered: false after an end by `maxPages`.
    public var isComplete: Bool { listing.withLock { $0.state.next == nil } }

    /// The next page, or nil at the end.
    ///
    /// - Throws: what asking ended in, the place unmoved; ``Failure/Reason/contract`` where the listing leads back to a
    ///   page that was delivered; ``Failure/Reason/cancelled``.
    public func next() async throws(Failure) -> Page? {
        while true {
            let turns = listing.withLock { $0.turns }
            guard await turns.take() else {
                throw Failure(.cancelled, phase: .notSent, detail: "while it waited for its turn")
            }
            defer { turns.pass() }
            switch try question(turns) {
            case .end: return nil
            case .renewed: continue
            case .ask(let position):
                let answer = await answer(at: position)
                // Nil: the listing was renewed meanwhile, and this answer belongs to the old one.
                if let accepted = accept(answer, of: position, turns) { return try accepted.get() }
            }
        }
    }

    /// Starts from the first page again. Answers to what was asked before are dropped; their callers get the new pages.
    public func renew() {
        restoreState(PagerState(next: first))
    }

    /// How far the listing has come: every page that was delivered is behind it, one that is on its way is not.
    ///
    /// Save it after a page was dealt with, and a page is dealt with at least once whatever happens.
    public func saveState() -> PagerState<Position> {
        listing.withLock { $0.state }
    }

    /// Goes on from `state`. Answers to what was asked before are dropped, as by ``renew()``.
    public func restoreState(_ state: PagerState<Position>) {
        let old = listing.withLock { listing in
            defer { listing = Listing(state) }
            return listing.turns
        }
        old.open()
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let pager: Pager

        public mutating func next() async throws(SidingChain.Failure) -> Page? { try await pager.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pager: self) }
}

extension Pager {
    /// One listing, from its first page or a restored place until it is renewed. Its waiting line is its identity: one
    /// question at a time is asked on behalf of it, and answers are taken only while it is still the pager's own.
    private struct Listing {
        var state: PagerState<Position>
        /// The delivered pages, for looking up.
        var seen: Set<Position>
        let turns = WaitingLine()

        init(_ state: PagerState<Position>) {
            self.state = state
            self.seen = Set(state.delivered)
        }
    }

    private enum Question {
        case ask(Position)
        case end
        case renewed
    }

    private func question(_ turns: WaitingLine) throws(Failure) -> Question {
        try listing.withLock { (listing) throws(Failure) -> Question in
            guard listing.turns === turns else { return .renewed }
            let count = listing.state.delivered.count
            guard let position = listing.state.next, count < maxPages ?? .max else { return .end }
            guard !listing.seen.contains(position) else { throw Self.loop(after: count) }
            return .ask(position)
        }
    }

    private func answer(at position: Position) async -> Result<PagerAnswer<Page, Position>, Failure> {
        do { return .success(try await ask(position)) } catch {
            return .failure(Failure.wrapping(error, phase: .maybeSent).at(node: "Pager"))
        }
    }

    private func accept(
        _ answer: Result<PagerAnswer<Page, Position>, Failure>, of position: Position, _ turns: WaitingLine
    ) -> Result<Page, Failure>? {
        listing.withLock { listing in
            guard listing.turns === turns else { return nil }
            return answer.map { answer in
                listing.state.next = answer.next
                listing.state.delivered.append(position)
                listing.seen.insert(position)
                return answer.page
            }
        }
    }

    /// The position itself is not shown: it may be a token.
    private static func loop(after count: Int) -> Failure {
        Failure(
            .contract, phase: .answered,
            detail: "page \(count) leads back to a page that came before: a loop; the listing is incomplete"
        ).at(node: "Pager")
    }
}

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
