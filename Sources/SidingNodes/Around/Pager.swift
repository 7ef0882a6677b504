// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Fetches the pages of a listing one after the other, as an `AsyncSequence`.
///
/// ```swift
/// let pager = Pager(from: PagerPosition.page(1)) { position in
///     let issues = try await chain.process(route.at(position), context())
///     return PagerAnswer(page: issues, next: position.next(after: issues.count))
/// }
/// for try await issues in pager { show(issues) }
/// ```
///
/// ``next()`` may be called from many tasks at once: pages are requested one at a time, and each is delivered to exactly one
/// caller, in the order of the calls. All iterations of a pager share one position. A page that failed, or whose caller was
/// cancelled while it was loading, is requested again by the next call.
public final class Pager<Page: Sendable, Position: Sendable & Hashable & Codable>: AsyncSequence, AsyncIteratorProtocol,
    Sendable
{
    public typealias Element = Page
    public typealias Failure = SidingChain.Failure

    private let first: Position
    private let maxPages: Int?
    private let ask: @Sendable (Position) async throws -> PagerAnswer<Page, Position>
    private let listing: Mutex<Listing>

    /// A pager that calls a closure for each page.
    ///
    /// - Parameters:
    ///   - first: the position of the first page.
    ///   - maxPages: the sequence ends after this many pages, restored ones included, even if more follow (see ``isComplete``);
    ///     nil for no limit.
    ///   - ask: returns the page at a position; an error becomes the failure of that ``next()``.
    public init(
        from first: Position, maxPages: Int? = nil,
        ask: @escaping @Sendable (Position) async throws -> PagerAnswer<Page, Position>
    ) {
        self.first = first
        self.maxPages = maxPages
        self.ask = ask
        self.listing = Mutex(Listing(PagerState(next: first)))
    }

    /// A pager that calls a chain for each page.
    ///
    /// - Parameters:
    ///   - first: the position of the first page.
    ///   - maxPages: the maximum number of pages; nil for all.
    ///   - node: asks for the page at a position.
    ///   - context: makes the context of each page's call.
    public convenience init(
        from first: Position, maxPages: Int? = nil, node: some Node<Position, PagerAnswer<Page, Position>>,
        context: @escaping @Sendable () -> ChainContext
    ) {
        self.init(from: first, maxPages: maxPages) { position in try await node.process(position, context()) }
    }

    /// Whether the last page was delivered; false if the sequence ended by `maxPages`.
    public var isComplete: Bool { listing.withLock { $0.state.next == nil } }

    /// The next page, or nil at the end.
    ///
    /// - Throws: the failure of the request, with the position unchanged; `Failure.Reason.contract` if the listing leads back
    ///   to a delivered page; `Failure.Reason.cancelled`.
    public func next() async throws(Failure) -> Page? {
        while true {
            let turns = listing.withLock { $0.turns }
            guard await turns.take() else {
                throw Failure(.cancelled, phase: .notSent, detail: "while it waited for its turn")
            }
            defer { turns.pass() }
            switch try nextStep(turns) {
            case .end: return nil
            case .renewed: continue
            case .ask(let position):
                let answer = await answer(at: position)
                // Nil: the pager was renewed meanwhile, and this response belongs to the old listing.
                if let accepted = accept(answer, of: position, turns) { return try accepted.get() }
            }
        }
    }

    /// Starts again from the first page. Pending responses are dropped; their callers get new pages.
    public func renew() {
        restoreState(PagerState(next: first))
    }

    /// The current position, after all delivered pages; a page that is still loading is not included.
    ///
    /// Save it after processing a page, so that each page is processed at least once in any case.
    public func saveState() -> PagerState<Position> {
        listing.withLock { $0.state }
    }

    /// Continues from `state`. Pending responses are dropped, as by ``renew()``.
    public func restoreState(_ state: PagerState<Position>) {
        listing.exchange(Listing(state)).turns.open()
    }

    /// The pager itself, since its iterations share one position.
    public func makeAsyncIterator() -> Pager { self }
}

extension Pager {
    /// One listing, from its first page or a restored position until it is renewed. Its waiting line is its identity: one
    /// request at a time is made for it, and a response is accepted only while the pager still has the same line.
    private struct Listing {
        var state: PagerState<Position>
        /// The delivered pages, for fast lookup.
        var seen: Set<Position>
        let turns = WaitingLine<Void>()

        init(_ state: PagerState<Position>) {
            self.state = state
            self.seen = Set(state.delivered)
        }
    }

    private enum Step {
        case ask(Position)
        case end
        case renewed
    }

    private func nextStep(_ turns: WaitingLine<Void>) throws(Failure) -> Step {
        try listing.withLock { (listing) throws(Failure) -> Step in
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
        _ answer: Result<PagerAnswer<Page, Position>, Failure>, of position: Position, _ turns: WaitingLine<Void>
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

    /// Does not show the position, which may be a token.
    private static func loop(after count: Int) -> Failure {
        Failure(
            .contract, phase: .answered,
            detail: "page \(count) leads back to a page that came before: a loop; the listing is incomplete"
        ).at(node: "Pager")
    }
}

/// One page and the position of the next.
public struct PagerAnswer<Page: Sendable, Position: Sendable>: Sendable {
    /// The content of the page, which ``Pager`` returns to its reader.
    public var page: Page
    /// Nil if this is the last page.
    public var next: Position?

    /// The result of one request of a ``Pager``.
    ///
    /// - Parameters:
    ///   - page: the content.
    ///   - next: where the listing continues, such as a page number, a token or a URL; nil after the last page.
    public init(page: Page, next: Position?) {
        self.page = page
        self.next = next
    }
}

/// The position of a ``Pager``, which can be saved and restored, in another process too.
public struct PagerState<Position: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// The next page to request; nil if the listing is complete.
    package var next: Position?
    /// The delivered pages in order. A listing that leads back to one of them is a loop.
    package var delivered: [Position]

    /// - Parameters:
    ///   - next: the next page to request.
    ///   - delivered: the pages delivered so far.
    package init(next: Position?, delivered: [Position] = []) {
        self.next = next
        self.delivered = delivered
    }
}
