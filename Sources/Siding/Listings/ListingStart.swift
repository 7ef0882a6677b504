// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// Where the listing of a resource, or of one of its parents, begins or goes on: one decision, which a plan shows and a sync
/// carries out.
enum ListingStart: Sendable, Hashable {
    /// At the first page.
    case first(FirstPageCause)
    /// At the page where it stopped.
    case checkpoint
    /// At the page that the queue retains; `isHeld`: that page waits for an operator.
    case retained(isHeld: Bool)

    /// Why a listing begins at the first page.
    enum FirstPageCause: Sendable, Hashable {
        /// Nothing else is to be done: the last listing is complete, or has no page yet.
        case usual
        /// Nothing is stored of the resource.
        case unknown
        /// All is to be listed anew.
        case asked
        /// The definition changed, in these aspects.
        case redefined([DefinitionAspect])
        /// The parent has another address than the listing that was left half-way.
        case elsewhere
        /// The checkpoint is older than the limit.
        case tooOld(Duration)
    }

    /// What is stored of a listing that was left half-way.
    struct Unfinished: Sendable, Hashable {
        /// The number of the page where it stopped.
        var page: Int
        /// When it was last carried on; nil where that is not known.
        var progressedAt: Timestamp?
        /// Whether it began at another address than a new one would.
        var isElsewhere = false
        /// Whether the queue retains the page.
        var isRetained = false
        /// Whether the page waits for an operator.
        var isHeld = false
    }

    /// - Parameters:
    ///   - unfinished: nil where no listing was left half-way.
    ///   - changed: the aspects in which the definition changed since the last sync.
    ///   - startsAnew: whether an unfinished listing is dropped on request.
    ///   - limit: how old a checkpoint may be.
    init(
        _ unfinished: Unfinished?, changed: [DefinitionAspect] = [], startsAnew: Bool, within limit: Duration,
        now: Timestamp
    ) {
        if !changed.isEmpty {
            self = .first(.redefined(changed))
        } else if startsAnew {
            self = .first(.asked)
        } else if let unfinished {
            self.init(unfinished, within: limit, now: now)
        } else {
            self = .first(.usual)
        }
    }

    private init(_ unfinished: Unfinished, within limit: Duration, now: Timestamp) {
        let isTimely = Resumption.goesOn(unfinished.progressedAt, startsAnew: false, within: limit, now: now)
        if unfinished.isElsewhere {
            self = .first(.elsewhere)
        } else if !isTimely, !unfinished.isHeld {
            // A page that an operator holds stays held, however old it gets.
            self = .first(.tooOld(limit))
        } else if unfinished.isRetained {
            self = .retained(isHeld: unfinished.isHeld)
        } else if unfinished.page > 1 {
            self = .checkpoint
        } else {
            // Of a listing without a page nothing is lost: the config may have been mended since.
            self = .first(.usual)
        }
    }

    /// Why an unfinished listing is dropped, as a message; nil if nothing is dropped.
    var dropping: String? {
        switch self {
        case .first(.asked): "a full listing was asked for"
        case .first(.elsewhere): "its parent has another address now"
        case .first(.tooOld(let limit)): Resumption.tooOld(limit)
        case .first(.usual), .first(.unknown), .first(.redefined), .checkpoint, .retained: nil
        }
    }
}

/// Where a listing begins or goes on, and the rows that decide it: one decision, which a plan shows and opening carries out.
struct ListingDecision {
    let start: ListingStart
    /// The aspects in which the definition changed.
    let changed: [DefinitionAspect]
    /// The listing that was left half-way; nil if there is none.
    let unfinished: ListingPosition?
    /// The fetch that the queue retains; nil if there is none.
    let entry: QueueEntry?
    /// Whether the last listing began at another address: its parent was another one then.
    let isElsewhere: Bool

    /// The page at which the listing goes on; nil if it begins at its first page.
    var page: PageRequest? { if case .first = start { nil } else { unfinished?.page } }

    /// - Parameter last: the newest listing.
    init(
        _ opening: ListingOpening, _ last: ListingRow?, _ entry: QueueEntry?, changed: [DefinitionAspect],
        now: Timestamp
    ) {
        let isElsewhere = last?.isElsewhere(than: opening.root) ?? false
        let position = opening.isAdHoc ? nil : last?.position
        let unfinished = position.map { position in
            ListingStart.Unfinished(
                page: position.page.number, progressedAt: last?.checkpointAt, isElsewhere: isElsewhere,
                isRetained: entry != nil, isHeld: entry?.waitsForPerson ?? false)
        }
        start = ListingStart(
            unfinished, changed: changed, startsAnew: opening.startsAnew, within: Resumption.limit, now: now)
        (self.changed, self.unfinished, self.entry, self.isElsewhere) = (changed, position, entry, isElsewhere)
    }
}

extension ListingRow {
    /// Where an open listing goes on; nil if it is not open.
    fileprivate var position: ListingPosition? {
        guard isOpen, let page = next else { return nil }
        return ListingPosition(
            listing: number, page: page, isResumed: page.number > 1, cursor: cursor,
            startedAt: page.number > 1 ? startedAt : nil, freshness: freshness, shortfall: incomplete,
            nextPageSource: nextPageSource)
    }
}

/// How long an unfinished listing or fan-out pass may be resumed; the one rule for stores and plans.
package enum Resumption {
    /// How old the last progress may be. A page token or a link of an origin rarely works for longer than a day, and a listing
    /// over a line that is down for a night continues.
    package static let limit = Duration.seconds(86_400)

    /// The same for a fan-out pass that has not asked all its parents. An origin may ask to be left alone for a day because of one of
    /// them; the pass then goes on with the others.
    package static let passLimit = limit + RetryRules.longestWait

    /// Whether the last progress is recent enough.
    ///
    /// - Parameter limit: how old it may be.
    package static func isTimely(_ progress: Timestamp, within limit: Duration, now: Timestamp) -> Bool {
        progress >= now + (.zero - limit)
    }

    /// Whether to resume: no new start was requested, and the last progress is recent enough.
    ///
    /// - Parameter progress: the time of the last progress; nil if unknown.
    package static func goesOn(
        _ progress: Timestamp?, startsAnew: Bool, within limit: Duration, now: Timestamp
    ) -> Bool {
        !startsAnew && progress.map { isTimely($0, within: limit, now: now) } ?? true
    }

    /// Why a checkpoint was not resumed.
    package static func tooOld(_ limit: Duration) -> String { "its checkpoint is older than \(text(limit))" }

    /// Why a fan-out pass was not resumed.
    package static func passTooOld(_ limit: Duration) -> String { "its pass is older than \(text(limit))" }

    private static func text(_ limit: Duration) -> String {
        let seconds = limit.components.seconds
        let (count, unit) =
            seconds % 3600 == 0 ? (seconds / 3600, "h") : seconds % 60 == 0 ? (seconds / 60, "min") : (seconds, "s")
        return "\(count) \(unit)"
    }
}
