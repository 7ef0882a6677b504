// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingPaging

/// A page to save, what follows it, and how it moves its listing.
struct ListedPage: Sendable {
    var page: Page
    var step: Step
    /// How the page moves the cursor; nil if the resource has none.
    var cursor: CursorMove?
    /// The freshness that the first page of the listing reported; stored with the last page.
    var freshness = ListingFreshness()
    /// The page behind this one, if the listing ends here because all pages from there on are known. The page's row keeps
    /// it as its next page.
    var behind: PageRequest?
    /// The highest cursor value among the page's records; nil if there is none, or if the page breaks the declared
    /// descending order.
    var highWaterMark: String?
    /// What pages of the listing so far say of themselves that they are not whole, as a message; nil if all are whole.
    var shortfall: String?
    /// Whether as many records were read as the smallest total that the origin reported, but fewer than the largest: either
    /// records were deleted while the listing was read, or its last pages were not read. Its end alone is no proof of a deletion.
    var hasShrunk = false
    /// The size of the next page, where the line decides it.
    var sizing: PageSizing?

    /// Whether the next listing asks for all pages whole, as a 304 does not fit the number of records that the origin reports.
    var asksWholeNext: Bool { if case .incomplete(_, _?) = step { true } else { false } }

    /// Whether the page's row would be saved as it is: a 304 that leads to the same next page as before.
    var repeatsRow: Bool {
        guard let stored = page.stored, page.etag == stored.etag, highWaterMark == stored.highWaterMark,
            // Beside an entity tag the date is not always used, and a 304 may leave it out.
            page.lastModified == stored.lastModified || (page.lastModified == nil && page.etag != nil)
        else { return false }
        switch step {
        case .page(let next): return next == stored.next
        case .end: return behind == stored.next
        case .incomplete, .stopped, .ignored: return false
        }
    }
}

/// The open listing that pages are saved in.
struct OpenListing: Sendable {
    var resource: String
    var lease: Lease
    var run: RunID
    /// The number of the listing among those of its resource; 0 for an ad-hoc listing (`--limit`), which must not touch checkpoint
    /// and validators.
    var number: Int64
    /// The first page of the listing.
    var first: PageRequest
    var method = "GET"
    /// The paths of the values that come with the records; see `RecordSlice.columns`.
    var columns: [JSONPath] = []
    /// The record schema whose `where` an ad-hoc listing applies, without changing the stored one; nil for the stored one.
    var schema: RecordSchema?
    /// Which records are deleted, and how the end of the listing reconciles deletions.
    var deletions = DeletionTerms()
    /// Opens the listing with the first page that is saved; see ``ListingPosition/unopened``.
    var unopened: (opening: ListingOpening, at: Timestamp)?
    /// The ID of the retained fetch that the first page completes.
    var completes: String?

    var isAdHoc: Bool { number == 0 }

    /// The same listing behind its first saved page.
    var afterFirstPage: OpenListing {
        var open = self
        (open.unopened, open.completes) = (nil, nil)
        return open
    }
}
