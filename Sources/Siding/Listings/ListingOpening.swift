// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// How to open a listing.
struct ListingOpening: Sendable {
    var resource: String
    var source: String
    var definition: ResourceDefinition
    var lease: Lease
    var run: RunID
    /// Whether a checkpoint is dropped rather than resumed.
    var startsAnew = false
    /// Whether all pages are requested without conditions, even after an interruption: stored validators are deleted.
    var isUnconditional = false
    /// The first page of a new listing; ignored when a fan-out pass is opened.
    var first: PageRequest
    /// The cursor range of a new listing.
    var cursor = ListingCursor()
    /// Whether a restart deletes the stored cursor, as the origin no longer accepts it.
    var forgetsCursor = false
    /// Whether this is an ad-hoc listing (`--limit`): it begins at the first page, and leaves checkpoint, validators and
    /// retained fetch as they are.
    var isAdHoc = false
    /// The record schema to apply; an ad-hoc listing leaves the stored one as it is.
    var schema = RecordSchema()
    /// The parent of the listing; nil if the resource has a single listing.
    var parent: ListingParent?
    /// The first URL of the parent's listing without a cursor; nil without a parent. A cursor found under another first URL
    /// does not count.
    var root: String?
    /// See ``AnyResource/isWritten``.
    var isWritten = false
    /// The shard that decides about the parents of a fan-out pass; nil for all.
    var shard: Shard?
}

/// How a listing uses the cursor of its resource.
package struct ListingCursor: Sendable, Hashable {
    /// The cursor value that the listing starts from; nil to list everything.
    package var from: String?
    /// The high-water mark of its pages so far.
    var reached: String?
    /// Whether its end moves the stored cursor.
    var moves = false
    /// Whether its pages came out of order: then it is read to its end, and only its end moves the cursor.
    var waits = false
    /// See ``CursorMove/began``; nil before its first page.
    var began: Timestamp?

    /// Whether it starts beyond the stored cursor, so that no listing covers the changes between the two.
    var isPassing: Bool { from != nil && !moves }
}

/// The position of a listing when it is opened.
struct ListingPosition: Sendable {
    /// The number of the listing among those of its resource; 0 for an ad-hoc listing.
    var listing: Int64
    /// The page to request now.
    var page: PageRequest
    /// The same page in its earlier size, if it was resized to ``page``.
    var resizedFrom: PageRequest?
    /// Whether the page is a checkpoint or a retained fetch, not the first page of a new listing.
    var isResumed: Bool
    /// The retained fetch for this page, claimed when the listing was opened.
    var entry: QueueEntry?
    /// What arrived of the page before its answer broke off.
    var partial: PartialAnswer?
    /// The changed aspects of the definition since the last sync. If not empty, everything is listed again.
    var changedAspects: [DefinitionAspect] = []
    /// What opening it added to the run's counters: the stored records that a changed `where` filtered out.
    var counters = RunCounters()
    /// Why an old checkpoint was dropped; nil if none was.
    var droppedCheckpoint: String?
    /// A retained fetch that waits for an operator action; the listing does not advance.
    var blockedBy: QueueEntry?
    /// The cursor range as of the listing's start, and its high-water mark so far.
    var cursor = ListingCursor()
    /// When the listing began, if it goes on behind its first page.
    var startedAt: Timestamp?
    /// The freshness that the first page of an unfinished listing reported.
    var freshness = ListingFreshness()
    /// See ``ListedPage/shortfall``: that of an unfinished listing.
    var shortfall: String?
    /// Where the pages of an unfinished listing named their next page.
    var nextPageSource: NextPageSource?
    /// Set if the transaction that saves the first page opens the listing, as of this moment.
    var unopened: (opening: ListingOpening, at: Timestamp)?
}

/// The stored row of a page: its validators, and what a 304 does not repeat.
struct StoredPage: Sendable, Hashable {
    var etag: String?
    var lastModified: String?
    /// Nil if the page was the last one.
    var next: PageRequest?
    var recordCount: Int
    /// Where the next page was found when the page was last fetched in full; nil if unknown.
    var nextPageSource: NextPageSource?
    /// When the page was last fetched in full; nil if unknown.
    var readAt: Timestamp?
    /// See ``ListedPage/highWaterMark``; nil also if unknown.
    var highWaterMark: String?
    /// See ``Page/digest``; nil also if unknown.
    var digest: UInt64?
}

/// Where the pages of a listing name their next page. It decides whether a 304 may end the listing.
enum NextPageSource: String, Sendable, CaseIterable {
    /// In header fields, which a 304 may leave out.
    case header
    /// In the body, or derived from it: an unchanged body has the same next page as before.
    case body
    /// In no known place.
    case nowhere
}
