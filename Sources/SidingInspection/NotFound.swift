package import Siding
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
                ? "run \(id) is forgotten ('keep: { runs }'), so what it deleted cannot be restored any more"
                : "there is no run \(id)",
            hint: "'siding runs list' shows them")
    }

    package static func quarantined(_ id: Int64) -> NotFound {
        NotFound("no quarantined record has the number \(id)")
    }

    package static func entry(_ id: String) -> NotFound {
        NotFound("no queue entry begins with '\(PlainText.oneLine(id, limit: 100))'")
    }
}
