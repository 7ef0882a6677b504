// SPDX-License-Identifier: Apache-2.0
import SidingChain
internal import SidingJSON

/// Checks, before a sync, how many stored records a changed `where` or a changed mark of `deletes:` would remove.
///
/// Opening a listing applies a changed `where`, and saving pages applies a changed mark. Records that the origin marks as
/// deleted bypass the mass-deletion guard. So if a config change alone would remove too many records, the sync sends no
/// request, and leaves the records, the view and the definition as they are. ``NullFilteredRecords`` handles records for which
/// `where` becomes NULL, once the listing is complete.
struct ConfigChange: Sendable {
    let resource: AnyResource
    let options: SyncOptions
    /// What is stored of the resource; nil if nothing is.
    let known: ResourceFreshness?
    let store: Store

    /// - Returns: the stored records that a changed `where` filters out; nil if `where` did not change.
    func filteredOut() async throws(StoreError) -> RecordsToRemove? {
        // An ad-hoc listing does not apply a changed definition.
        guard !options.isAdHoc else { return nil }
        return try await store.filteredOut(by: resource.schema, of: resource.name)
    }

    /// - Returns: the stored records that already have the changed mark; nil if the mark did not change, or no record has it.
    func marked() async throws(StoreError) -> RecordsToRemove? {
        guard let mark = resource.deletions.mark, let known,
            ResourceDefinition(resource).differences(from: known.definition).contains(.deletes)
        else { return nil }
        return try await store.marked(by: mark, of: resource.name)
    }

    /// Why the sync sends no request; nil if the deletions are accepted or within the guard's limit.
    func refusal(_ removal: RecordsToRemove) -> String? {
        guard !options.acceptsDeletes, removal.isTooMuch(for: resource.deletions) else { return nil }
        return "\(removal.consequence) \(removal.message). \(resource.deletions.excess)"
    }

    /// What a sync would do first because of either.
    ///
    /// - Returns: why it would send no request, or which records it would remove; both nil if it does nothing.
    func outlook() async throws(StoreError) -> (refusal: String?, removal: String?) {
        let (left, marked) = (try await filteredOut(), try await marked())
        for why in [left.flatMap { refusal($0) }, marked.flatMap { refusal($0) }] {
            if let why { return ("\(why). To do it: --accept-deletes", nil) }
        }
        let going = [
            left.flatMap { $0.count > 0 ? "'where' leaves out \($0.message)" : nil },
            marked.map { "'deletes' deletes \($0.message), when pages contain them" },
        ]
        let words = going.compactMap(\.self)
        return (nil, words.isEmpty ? nil : words.joined(separator: "; "))
    }
}
