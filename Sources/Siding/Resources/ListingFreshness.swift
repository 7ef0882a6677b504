// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain

/// How long a resource stays fresh, as reported by the first page of a listing.
package struct ListingFreshness: Sendable, Hashable {
    /// Until when the answer is fresh, by `Cache-Control` or `Expires`; nil if not reported.
    package var freshUntil: Timestamp?
    /// Before when the origin asks not to be polled, by `X-Poll-Interval`; nil if it does not.
    package var notBefore: Timestamp?

    package init(freshUntil: Timestamp? = nil, notBefore: Timestamp? = nil) {
        (self.freshUntil, self.notBefore) = (freshUntil, notBefore)
    }

    /// Reads the header fields of an answer received at `now`.
    ///
    /// - Parameter isCached: whether HTTP caching applies at all.
    init(_ fields: HTTPFields, isCached: Bool, now: Timestamp) {
        let remaining = isCached ? AnswerFreshness.remaining(fields, now: now.secondsSince1970) : nil
        freshUntil = remaining.map { now + $0 }
        notBefore = AnswerFreshness.pollInterval(fields).map { now + $0 }
    }
}

/// The state that decides whether a sync can be skipped.
package struct ResourceFreshness: Sendable, Hashable {
    /// The definition at the last sync.
    package var definition: ResourceDefinition
    /// When the last complete listing ended.
    package var completedAt: Timestamp?
    /// The freshness which that listing reported.
    package var reported: ListingFreshness
    /// Whether a listing is open, or an operator set the cursor since.
    package var isUnfinished: Bool
    /// The record schema at that time; nil if the store does not keep it.
    package var schema: RecordSchema?
    /// The name of the source at that time; nil if the store does not keep it.
    package var source: String?

    /// Until when the stored records are fresh; nil if that time has passed.
    package func freshUntil(at now: Timestamp) -> Timestamp? { ahead(reported.freshUntil, now) }

    /// Before when the origin asks not to be polled; nil if that time has passed.
    package func notBefore(at now: Timestamp) -> Timestamp? { ahead(reported.notBefore, now) }

    /// `moment` if it is in the future and the listing in the past, so that a clock that was set back does not block syncs.
    private func ahead(_ moment: Timestamp?, _ now: Timestamp) -> Timestamp? {
        guard let moment, let completedAt, completedAt <= now, now < moment, moment - now <= AnswerFreshness.longest
        else { return nil }
        return moment
    }
}
