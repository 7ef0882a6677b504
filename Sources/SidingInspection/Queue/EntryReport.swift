// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain

/// One queue entry with all that is known of it: why it waits, what happens next, its history, request and conflict.
package struct EntryReport: Sendable {
    package let entry: QueueEntry
    /// Nil for a fetch.
    package let content: WriteContent?
    /// The body of its request; nil if it has none.
    package let body: [UInt8]?
    package let explanation: QueueExplanation
    package let history: [QueueEvent]
    package let conflict: ConflictReport?

    /// - Parameter id: the entry's id, or a unique prefix of it.
    /// - Throws: ``StoreError/Kind/notFound``, ``StoreError/Kind/ambiguous``.
    package static func load(_ id: String, in store: Store, now: Timestamp) async throws -> EntryReport {
        guard let entry = try await store.entries(QueueSelection(ids: [id])).first else { throw NotFound.entry(id) }
        let content = try await store.content(of: entry.id)
        let gate = try await store.gates().closed(entry.source, at: now)
        let conflict = entry.state.isCompleted ? nil : try await store.conflict(of: entry.id)
        return EntryReport(
            entry: entry, content: content,
            body: entry.kind == .fetch ? try await store.bodyOfFetch(entry.id) : content?.body,
            explanation: QueueExplanation(
                entry, gate: gate, keep: store.keep, theirsStoredAt: conflict?.theirsStoredAt, now: now),
            history: try await store.history(of: entry.id),
            conflict: conflict)
    }

    /// The object of `--json`.
    package var object: JSONObject { Shapes.entry(entry, explanation, history, content, conflict) }
}
