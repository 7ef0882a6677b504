internal import SidingChain

/// Where a new listing of a resource begins.
struct CursorStart: Sendable, Hashable {
    /// The value that the listing begins at, lookback taken off; nil for all there is.
    var from: String?
    /// The value that it ends at, of a backfill.
    var until: String?
    /// Whether the listing may move the stored cursor.
    var moves = false
    /// Why it begins there, for a person; nil where there is no cursor.
    var reason: String?

    /// For a resource without a cursor.
    static let none = CursorStart()

    /// - Parameters:
    ///   - stored: the stored cursor, where it belongs to the present definition.
    ///   - now: against which the origin's memory is measured.
    init(_ rule: IncrementalCursor?, stored: StoredCursor?, _ options: SyncOptions, now: Timestamp) {
        guard let rule else { return }
        if let backfill = options.backfill {
            (from, until) = (backfill.from, backfill.to)
            reason = "what changed from \(backfill.from) to \(backfill.to); the cursor stays"
        } else if let since = options.since {
            from = since
            // Between the stored cursor and a later value lies what was never asked for.
            moves = stored.map { !rule.isOpaque && !rule.isFurther(since, than: $0.value) } ?? false
            reason = "what changed since \(since), as asked" + (moves ? "" : "; the cursor stays")
        } else {
            moves = true
            (from, reason) = Self.usual(rule, stored, isFull: options.isFull, now: now)
        }
    }

    private init() {}

    private static func usual(
        _ rule: IncrementalCursor, _ stored: StoredCursor?, isFull: Bool, now: Timestamp
    ) -> (from: String?, reason: String?) {
        guard !isFull, let stored else { return (rule.start, nil) }
        // Not the value's own age: an origin where nothing changes is asked about all the same.
        if let retention = rule.retention, now - stored.movedAt > retention {
            return (rule.start, "the cursor \(stored.value) is older than the origin remembers: full listing")
        }
        let from = rule.lookedBack(stored.value)
        return (from, rule.isOpaque ? "changes since the last sync" : "changes since \(from)")
    }

    /// Whether `failed` is the origin's no to the first request, which carries a cursor.
    func isRefused(_ failed: PageFailure, _ opening: ListingOpening) -> Bool {
        guard from != nil, failed.page.address == opening.first.address, case .http(let answer) = failed.failure.reason
        else { return false }
        return [400, 404, 410, 422].contains(answer.status)
    }

    /// Whether a page of a listing of the newest first lies wholly behind where the listing begins; so do all pages after it, where
    /// the order is what it is said to be.
    ///
    /// - Parameter furthest: the page's value that is furthest on.
    func isPast(_ furthest: String?, by rule: IncrementalCursor?) -> Bool {
        guard let rule, rule.order == .descending, let from, let furthest, furthest != DescendingOrder.disorder else {
            return false
        }
        return rule.isFurther(from, than: furthest)
    }

    /// Takes over what an unfinished listing asks for.
    mutating func resume(_ listing: ListingCursor) {
        (from, moves) = (listing.from, listing.moves)
    }

    /// Takes over what an unfinished listing asks for; where its pages came in order, from how far they came on.
    ///
    /// - Returns: whether it goes on at the cursor rather than at its next page.
    mutating func goOn(_ listing: ListingCursor, by rule: IncrementalCursor?) -> Bool {
        resume(listing)
        guard let value = rule?.goingOn(listing) else { return false }
        from = value
        return true
    }

    /// What the placeholders of `rule`'s query stand for.
    func placeholders(_ rule: IncrementalCursor?) -> Placeholders {
        Placeholders(
            cursor: from.map { rule?.written($0) ?? $0 }, until: until.map { rule?.written($0) ?? $0 },
            isNumber: (rule?.format ?? rule?.type)?.isNumber ?? false)
    }
}

extension Store {
    /// The stored cursor of `resource`, where it is still what it was; a resource without a cursor is not asked about.
    func cursor(of resource: AnyResource, for parent: BoundParent? = nil) async throws(StoreError) -> StoredCursor? {
        guard resource.cursor != nil, let stored = try await cursor(of: resource.name, scope: parent?.key ?? ""),
            ResourceDefinition(resource).isSame(as: stored.definition)
        else { return nil }
        if let root = stored.root, let parent, root != NextPageRule(resource: resource).root(for: parent) { return nil }
        return stored
    }
}

extension IncrementalCursor {
    /// The value at which an unfinished listing goes on: how far its own pages came. Nil where that is no further than where it
    /// began, and it goes on at its next page.
    func goingOn(_ listing: ListingCursor) -> String? {
        guard goesOnAtCursor, let reached = listing.reached else { return nil }
        let value = lookedBack(reached)
        return listing.from.map { isFurther(value, than: $0) } ?? true ? value : nil
    }
}
