// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingInspection

/// `GET /api/…`: what the commands print with `--json`, through the same functions.
struct InspectionRoutes: Sendable {
    let served: ServedStore
    private var store: Store { served.store }

    /// - Parameter path: the components after `api`.
    func answer(_ path: [String], _ query: Parameters) async throws -> ServiceAnswer {
        let rest = Array(path.dropFirst())
        switch (path.first, rest.count) {
        case ("status", 0):
            try query.check()
            return .json(try await served.overview().object)
        case ("queue", 0):
            return .json(try await QueueQuery(query, now: served.now).entries(in: served).map { Shapes.entry($0) })
        case ("queue", 1):
            try query.check()
            return .json(try await EntryReport.load(rest[0], in: store, now: served.now).object)
        case ("runs", 0):
            try query.check("before", "limit")
            let before = try query.number("before") ?? .max
            return .json(try await store.runs(limit: query.limit(usual: 20), before: before).map(Shapes.run))
        case ("runs", 1):
            try query.check()
            return .json(Shapes.run(try await run(rest[0])))
        case ("records", _): return try await records(rest, query)
        case ("search", 1): return .json(try await search(rest[0], query))
        case ("quarantine", 0):
            try query.check("resource", "after", "limit")
            let selection = QuarantineSelection(resources: query.values("resource"), limit: try query.limit())
            let found = try await served.quarantined(selection, after: try query.number("after"))
            return .json(found.map { Shapes.quarantined($0) })
        case ("quarantine", 1):
            try query.check()
            return .json(try await quarantined(rest[0]))
        default: throw ServiceProblem.noPage
        }
    }

    private func run(_ text: String) async throws -> Run {
        let id = try Self.number(text)
        guard let run = try await store.run(id) else { throw try await NotFound.run(id, in: store) }
        return run
    }

    private func records(_ path: [String], _ query: Parameters) async throws -> ServiceAnswer {
        guard let resource = path.first else { throw ServiceProblem.noPage }
        if path.count == 1 {
            try query.check("limit", "after", "deleted")
            let found = try await store.records(
                of: resource, after: query.value("after"), limit: query.limit(),
                deleted: query.flag("deleted"))
            return .json(found.map { Shapes.record($0) })
        }
        let key = path[1]
        switch (path.count, path.last) {
        case (2, _):
            try query.check()
            guard let record = try await store.record(of: resource, key: key) else {
                throw NotFound.record(key, of: resource)
            }
            return .json(Shapes.record(record))
        case (3, "history"):
            try query.check("limit")
            guard let history = try await store.history(of: resource, key: key, limit: query.limit()) else {
                throw NotFound.record(key, of: resource)
            }
            return .json(history.versions.map { Shapes.version($0, resource: resource, key: key) })
        case (3, "why"):
            try query.check()
            guard let provenance = try await store.provenance(of: resource, key: key) else {
                throw NotFound.record(key, of: resource)
            }
            return .json(ProvenanceShape.object(provenance))
        default: throw ServiceProblem.noPage
        }
    }

    private enum SearchForm: String, CaseIterable {
        case phrase, prefix, query
    }

    private func search(_ resource: String, _ query: Parameters) async throws -> [JSONObject] {
        try query.check("q", "form", "limit")
        guard let text = try query.value("q") else { throw ServiceProblem.usage("'q' has the words") }
        let words: TextSearch.Text
        switch try query.choice("form", of: SearchForm.self) {
        case nil: words = .words(text)
        case .phrase: words = .phrase(text)
        case .prefix: words = .beginning(text)
        case .query: words = .query(text)
        }
        let search = RecordSearch(resource: resource, text: words, limit: try query.limit(usual: 20))
        return try await search.find(in: store).hits.map(\.object)
    }

    private func quarantined(_ text: String) async throws -> JSONObject {
        let id = try Self.number(text)
        guard let record = try await store.quarantined(id) else {
            throw NotFound.quarantined(id)
        }
        var object = Shapes.quarantined(record)
        object.body("body", record.body)
        return object
    }

    static func number(_ text: String) throws -> Int64 {
        guard let number = Int64(text), number > 0 else {
            throw ServiceProblem.usage("'\(text.prefix(100))' is not a number")
        }
        return number
    }
}
