internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// The selectors of `siding queue list` as parameters of a query.
struct QueueQuery {
    let selection: QueueSelection
    let limit: Int

    init(_ query: Parameters, now: Timestamp) throws {
        try query.check("id", "resource", "source", "lane", "state", "reason", "older_than", "limit")
        let states = QueueEntry.State.allCases.map(\.rawValue)
        let reasons = ParkReason.allCases.map(\.rawValue)
        let age = try query.value("older_than").map { text in
            guard let age = Self.duration(text) else {
                throw ServiceProblem.usage("'older_than' is a duration, such as 30s, 15m, 2h or 7d")
            }
            return age
        }
        selection = QueueSelection(
            ids: query.values("id"), resources: query.values("resource"), sources: query.values("source"),
            lanes: query.values("lane"), states: try query.values("state", states) { .init(rawValue: $0) },
            createdBefore: age.map { now + (.zero - $0) },
            reasons: try query.values("reason", reasons) { .init(rawValue: $0) })
        limit = try query.limit()
    }

    private static func duration(_ text: String) -> Duration? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...1_000_000).contains(count)
        else { return nil }
        return .seconds(count * unit)
    }

    /// - Throws: ``ServiceProblem`` for names that neither the config nor the queue has.
    func entries(in served: ServedStore) async throws -> [QueueEntry] {
        let resources = served.resources()
        let unknown = try await served.store.unknownName(
            in: selection, sources: resources.map(\.source.name), resources: resources.map(\.name))
        if let unknown {
            throw NotFound("there is no \(unknown.kind) '\(PlainText.oneLine(unknown.name, limit: 100))'")
        }
        return try await served.store.entries(selection, limit: limit)
    }
}
