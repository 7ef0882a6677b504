// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Decides whether a sync of a resource can be skipped.
///
/// `X-Poll-Interval` is a demand of the origin and holds for every sync. `Cache-Control` is only a promise: it counts if the
/// user set `maxAge`, and so accepts older records. Without `maxAge` a sync always asks, at the low cost of a conditional
/// request. Explicit options (`--full`, `since`, an ad-hoc listing, accepted deletes) always ask.
struct FreshnessCheck {
    let resource: AnyResource
    let options: SyncOptions
    let now: Timestamp

    /// Why the sync is skipped, for people; nil if it must run.
    func skipReason(_ freshness: ResourceFreshness?) -> String? {
        guard let freshness, let completed = freshness.completedAt, mayAnswer(freshness) else { return nil }
        if let moment = freshness.notBefore(at: now) {
            return
                "the origin allows the next request at \(moment.rfc3339) (X-Poll-Interval); --full ignores this"
        }
        guard let maxAge = options.maxAge else { return nil }
        let age = now - completed
        // A completion time in the future means that the clock was set back, not that the records are fresh.
        if age >= .zero, age < maxAge { return "complete \(MessageFormat.duration(age)) ago: fresh enough" }
        if let moment = freshness.freshUntil(at: now) {
            return "the origin says that it is current until \(moment.rfc3339) (Cache-Control): fresh enough"
        }
        return nil
    }

    /// Until when the origin demands that it is not asked, or declares the records current; nil if neither skips a sync now.
    func skippedUntil(_ freshness: ResourceFreshness?) -> Timestamp? {
        guard let freshness, mayAnswer(freshness) else { return nil }
        let current = options.maxAge.flatMap { _ in freshness.freshUntil(at: now) }
        return [freshness.notBefore(at: now), current].compactMap(\.self).max()
    }

    /// Whether the last listing can take the place of this sync at all.
    private func mayAnswer(_ freshness: ResourceFreshness) -> Bool {
        !options.isFull && options.since == nil && !options.isAdHoc && !options.acceptsDeletes && isAsItWas(freshness)
    }

    /// Compares the stored forms.
    private static func isSame(_ one: RecordSchema, _ other: RecordSchema) -> Bool {
        (try? one.stored) == (try? other.stored)
    }

    /// Whether the last listing still answers a sync: no listing began since, and definition and record schema are unchanged. A
    /// sync applies a changed definition even if the origin has nothing new.
    private func isAsItWas(_ freshness: ResourceFreshness) -> Bool {
        !freshness.isUnfinished && ResourceDefinition(resource) == freshness.definition
            && freshness.schema.map { Self.isSame($0, resource.schema) } ?? true
    }
}
