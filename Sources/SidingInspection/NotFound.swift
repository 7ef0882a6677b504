// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

/// What was asked for and is not stored, with what to do instead.
package struct NotFound: Error, Sendable {
    package let message: String
    package let hint: String?

    package init(_ message: String, hint: String? = nil) {
        (self.message, self.hint) = (message, hint)
    }

    package static func record(_ key: String, of resource: String) -> NotFound {
        NotFound(
            "'\(resource)' has no record '\(PlainText.oneLine(key, limit: 100))'",
            hint: "'siding records list \(resource)' shows the keys")
    }

    /// Says so if the run was pruned.
    package static func run(_ id: RunID, in store: Store) async throws(StoreError) -> NotFound {
        let isForgotten = try await store.isForgotten(id)
        return NotFound(
            isForgotten
                ? "run \(id) is forgotten ('keep: { runs }'), so its deletions can no longer be restored"
                : "there is no run \(id)",
            hint: "'siding runs list' shows them")
    }

    /// Records that a run deleted, and whose tombstones were removed since.
    package static func removed(_ count: Int, by run: RunID) -> NotFound {
        NotFound(
            "\(MessageFormat.count(count, "record")) that run \(run) deleted \(count == 1 ? "is" : "are") not kept any longer "
                + "('keep: { deleted }'), so \(count == 1 ? "it" : "they") cannot be restored")
    }

    package static func quarantined(_ id: Int64) -> NotFound {
        NotFound("no quarantined record has the number \(id)")
    }

    package static func entry(_ id: String) -> NotFound {
        NotFound("no queue entry begins with '\(PlainText.oneLine(id, limit: 100))'")
    }
}
