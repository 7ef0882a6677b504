// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// The selectors of `siding queue list` as parameters of a query.
struct QueueQuery {
    let selection: QueueSelection
    let limit: Int
    private let after: String?

    init(_ query: Parameters, now: Timestamp) throws {
        try query.check("id", "resource", "source", "lane", "state", "reason", "older_than", "after", "limit")
        let age = try query.value("older_than").map { text in
            guard let age = DurationText.parse(text) else {
                throw ServiceProblem.usage("'older_than' is a duration such as \(DurationText.examples)")
            }
            return age
        }
        var selection = QueueSelection(
            ids: query.values("id"), resources: query.values("resource"), sources: query.values("source"),
            lanes: query.values("lane"), states: try query.choices("state", of: QueueEntry.State.self),
            reasons: try query.choices("reason", of: ParkReason.self))
        selection.createdBefore = age.map { now + (.zero - $0) }
        self.selection = selection
        (after, limit) = (try query.filled("after"), try query.limit())
    }

    /// - Throws: ``NotFound`` for names that neither the config nor the queue has, ``StoreError/Kind/notFound`` if the entry of
    ///   `after` is gone.
    func entries(in served: ServedStore) async throws -> [QueueEntry] {
        let resources = served.resources()
        let unknown = try await served.store.unknownName(
            in: selection, sources: resources.map(\.source.name), resources: resources.map(\.name))
        if let unknown {
            throw NotFound("there is no \(unknown.kind) '\(PlainText.oneLine(unknown.name, limit: 100))'")
        }
        return try await served.entries(selection, after: after, limit: limit)
    }
}

extension ServedStore {
    /// - Throws: ``StoreError/Kind/notFound`` if the entry `after` is gone: after it there seems to be nothing.
    func entries(_ selection: QueueSelection, after: String?, limit: Int) async throws -> [QueueEntry] {
        if let after { _ = try await store.entries(QueueSelection(ids: [after])) }
        return try await store.entries(selection, after: after, limit: limit)
    }

    /// - Throws: ``StoreError/Kind/notFound`` if the record `after` is gone.
    func quarantined(_ selection: QuarantineSelection, after: Int64?) async throws -> [QuarantinedRecord] {
        if let after { _ = try await store.quarantined(QuarantineSelection(ids: [after])) }
        return try await store.quarantined(selection, after: after)
    }
}
