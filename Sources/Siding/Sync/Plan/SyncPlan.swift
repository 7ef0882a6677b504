// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

/// What a sync would request first, and why. Making a plan sends no request and only reads the store.
package struct SyncPlan: Sendable, Hashable {
    package var resource: String
    package var method: String
    /// With credentials left out. For a fan-out without any request, the template.
    package var url: String
    /// The request's body; nil for none.
    package var body: String?
    /// The conditional header fields: `If-None-Match`, `If-Modified-Since`.
    package var conditions: [String]
    /// Why this request comes first.
    package var reason: String
    /// Why a sync would not send it now, or only after a wait; nil if it would send it at once.
    package var obstacle: Obstacle?
    /// How the next pages are found.
    package var paging: String
    /// Which records a sync would delete.
    package var deletes: String
    /// The source's rate limits that count the first request.
    package var limits: [String] = []
    /// Set for a resource that has a listing per parent.
    package var fanOut: FanOut?
    /// Why a sync would refuse and fail, such as for a file that holds another origin's records under this name; nil if it
    /// would not.
    package var refusal: RecordedError?

    /// Makes the plan for `resource`.
    ///
    /// - Parameters:
    ///   - store: nil if there is none yet.
    ///   - shard: the part that the station fetches; nil for everything.
    ///   - resources: all that are declared, which the shards share.
    ///   - now: the current time, to measure the age of a cursor.
    /// - Throws: ``StoreError`` if the store cannot be read, a ``Failure`` if the first URL is invalid.
    package static func make(
        for resource: AnyResource, options: SyncOptions = SyncOptions(), in store: Store?,
        shard: Shard? = nil, of resources: [AnyResource] = [], now: Timestamp = WallClock.system.now
    ) async throws -> SyncPlan {
        let open = if let store { try await store.begin(resource) } else { OpenResource() }
        var plan =
            if let each = resource.forEach {
                try await make(
                    for: resource, each: each, open, options: options, in: store,
                    shard: shard?.dividing(resource, among: resources), now: now)
            } else {
                try await makePlain(for: resource, open, options: options, in: store, now: now)
            }
        if let shard, !shard.fetches(resource, among: resources) {
            let other = Obstacle.otherShard(why: "shard \(shard.owner(of: resource.name)) of \(shard.count) fetches it")
            (plan.obstacle, plan.reason) = (other, other.explained(plan.reason))
            return plan
        }
        if let store {
            let outlook = try await ConfigChange(
                resource: resource, options: options, known: open.freshness, store: store
            ).outlook()
            if let why = outlook.refusal {
                let refused = Obstacle.configChange(why: why)
                (plan.obstacle, plan.reason) = (refused, refused.explained(plan.reason))
            }
            if let words = outlook.removal { plan.reason = "\(words); then: \(plan.reason)" }
            plan.refusal = try await ForeignResource.error(
                for: resource, options, known: open.freshness, in: store, file: store)
        }
        return plan
    }

    /// The plan for a resource that has a single listing.
    private static func makePlain(
        for resource: AnyResource, _ open: OpenResource, options: SyncOptions, in store: Store?, now: Timestamp
    ) async throws -> SyncPlan {
        var cursor = CursorStart(resource.cursor, stored: open.cursor, options, now: now)
        let rule = NextPageRule(resource: resource, size: open.sizing(of: resource, isFull: options.isFull)?.size)
        let first = try rule.first(from: cursor)
        var start = start(options, open.decision(ListingOpening(planning: resource, options, first), now: now), first)
        if let listing = start.listing, start.page.number > 1, !start.isHeld,
            cursor.resume(listing, by: resource.cursor)
        {
            start = Start(
                page: try rule.first(from: cursor),
                reason: "an unfinished listing continues at the cursor: changes since \(cursor.from ?? "")")
        } else if start.page == first, let reason = cursor.reason {
            start.reason += ": \(reason)"
        }
        start.page = rule.sized(start.page)
        var obstacle: Obstacle?
        if start.isHeld {
            obstacle = .heldPage
        } else {
            obstacle = try await Self.obstacle(resource, open, options, at: start.page.url, in: store, now)
        }
        let secret = resource.source.authorization.secretQueryNames
        let listing = Listing(
            of: resource, at: ListingPosition(listing: 0, page: start.page, isResumed: false), from: cursor)
        var conditions: [String] = []
        if resource.asksConditionally, !options.isFull, !options.isAdHoc, start.mayBeConditional,
            let stored = try await store?.storedPage(start.page, of: resource.name).flatMap(resource.condition),
            !listing.asksWhole(start.page, stored, now: now)
        {
            if let etag = stored.etag { conditions.append("If-None-Match: \(PlainText.oneLine(etag))") }
            if let date = stored.lastModified { conditions.append("If-Modified-Since: \(PlainText.oneLine(date))") }
        }
        var plan = SyncPlan(
            resource: resource.name, method: resource.method.rawValue, url: Redaction.url(start.page.url, also: secret),
            body: start.page.body, conditions: conditions, reason: obstacle?.explained(start.reason) ?? start.reason,
            obstacle: obstacle, paging: resource.paging.sized(rule.size(of: start.page)).description,
            deletes: resource.deletesInWords)
        plan.limits = limits(of: resource.source, at: start.page.url)
        return plan
    }

    /// The page that a sync would request first, and why.
    private struct Start {
        var page: PageRequest
        var reason: String
        var mayBeConditional = true
        /// The cursor of the listing to resume.
        var listing: ListingCursor?
        /// Whether the page waits for an operator action.
        var isHeld = false
    }

    private static func start(_ options: SyncOptions, _ decision: ListingDecision?, _ first: PageRequest) -> Start {
        guard let decision else { return Start(page: first, reason: ListingStart.first(.unknown).message) }
        let start = decision.start
        if let page = decision.page {
            return Start(
                page: page, reason: start.message(at: page, decision.entry), listing: decision.unfinished?.cursor,
                isHeld: start == .retained(isHeld: true))
        }
        let isUsual = start == .first(.asked) && !options.isFull
        return Start(
            page: first, reason: (isUsual ? .first(.usual) : start).message, mayBeConditional: decision.changed.isEmpty)
    }
}

extension ListingStart {
    /// Why the listing starts there, as a message.
    fileprivate var message: String { message(at: nil, nil) }

    fileprivate func message(at page: PageRequest?, _ entry: QueueEntry?) -> String {
        switch self {
        case .first(.unknown): return "first sync: nothing is stored yet"
        case .first(.asked): return "full listing, as asked"
        case .first(.redefined(let aspects)):
            return "full listing: the definition changed (\(aspects.names))"
        case .first(.tooOld), .first(.elsewhere): return "new listing from the first page, as \(dropping ?? "")"
        case .first(.usual): return "new listing from the first page"
        case .checkpoint: return "the listing stopped here, at page \(page?.number ?? 1)"
        case .retained:
            let parked = entry?.state == .parked ? ", parked (\(entry?.reason?.rawValue ?? ""))" : ""
            return "the queue retains this page as \(entry?.shortID ?? "")\(parked)"
        }
    }
}

extension AnyResource {
    /// Which records count as deleted, as a message.
    var deletesInWords: String {
        var words: [String] = []
        if deletions.byAbsence {
            words.append(
                deletions.recordPath.map { "records missing from a complete listing if \($0) answers 404 or 410" }
                    ?? "records missing from \(isStable ? "a complete listing" : "two complete listings")")
            if cursor?.start != nil { words[0] += " (there is none: each begins at 'cursor.start')" }
        }
        if let mark = deletions.mark { words.append("records with \(mark)") }
        return words.isEmpty ? "nothing" : words.joined(separator: ", and ")
    }
}
