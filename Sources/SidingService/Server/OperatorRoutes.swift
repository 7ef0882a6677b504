// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// Actions of operators, on entries, quarantined records and resources, through the same functions as the commands.
struct OperatorRoutes: Sendable {
    let served: ServedStore
    let syncs: RequestedSyncs
    private var store: Store { served.store }

    /// Whom the history of an entry names.
    enum Actor: String {
        case page = "web page"
        case program = "API"
    }

    /// - Parameters:
    ///   - path: `queue/ID/ACTION`, `quarantine/ID/ACTION` or `records/RESOURCE/sync`; of a page also `queue/ACTION`.
    ///   - fields: `how` and `real_id` of a resolution; `id` of each entry of several.
    ///   - record: the wanted record of a merge.
    func act(
        _ path: [String], _ fields: Parameters, record: [UInt8], by actor: Actor
    ) async throws -> ActionResult {
        if actor == .page, path.count == 2, path[0] == "queue", let action = QueueAction(rawValue: path[1]) {
            return try await act(action, onParked: fields.values("id"))
        }
        guard path.count == 3 else { throw ServiceProblem.noPage }
        switch path[0] {
        case "records" where path[2] == "sync": return try await sync(path[1], by: actor)
        case "queue":
            return try await act(try Self.decision(path[2], fields, record), on: path[1], by: actor)
        case "quarantine" where path[2] == "retry":
            return try await retryQuarantined(try InspectionRoutes.number(path[1]))
        case "quarantine" where path[2] == "drop":
            return try await dropQuarantined(try InspectionRoutes.number(path[1]))
        default: throw ServiceProblem.noPage
        }
    }

    private static func decision(_ name: String, _ fields: Parameters, _ record: [UInt8]) throws -> OperatorAction {
        if let action = QueueAction(rawValue: name) { return .act(action) }
        guard name == "resolve" else { throw ServiceProblem.noPage }
        switch try fields.required("how", of: Resolution.self) {
        case .mine: return .resolve(.mine)
        case .theirs: return .resolve(.theirs)
        case .arrived:
            let id = try fields.value("real_id") ?? ""
            return .resolve(.arrived(id: id.isEmpty ? nil : id))
        case .merge:
            do { _ = try JSONDocument(record) } catch {
                throw ServiceProblem(.badRequest, "invalid_json", "the record is not JSON: \(error)")
            }
            return .resolve(.merge(record))
        }
    }

    private func act(_ decision: OperatorAction, on id: String, by actor: Actor) async throws -> ActionResult {
        let changes = try await store.carryOut(decision, on: QueueSelection(ids: [id]), by: actor.rawValue)
        guard let change = changes.first else { throw NotFound.entry(id) }
        let isDone = change.refusal == nil
        return ActionResult(
            object: Shapes.change(change, by: decision, isRehearsal: false), isDone: isDone,
            message: isDone
                ? decision.outcome(change)
                : [decision.denial + ": " + (change.refusal ?? ""), change.hint].compactMap(\.self)
                    .joined(separator: "; "),
            page: ["queue", change.entry.id])
    }

    /// - Parameter ids: of entries on one page of the queue. Those that may have arrived are left out of all but a
    /// drop: whether to
    ///   send such a write again is decided for each.
    private func act(_ action: QueueAction, onParked ids: [String]) async throws -> ActionResult {
        guard !ids.isEmpty, ids.count <= QueueScreen.most else {
            throw ServiceProblem.usage("the form names 1 to \(QueueScreen.most) entries")
        }
        let meant = try await store.entries(QueueSelection(ids: ids)).filter { entry in
            entry.state == .parked && (action == .drop || !entry.mayHaveArrived)
        }
        let selection = QueueSelection(ids: meant.map(\.id), states: [.parked])
        let decision = OperatorAction.act(action)
        let changes =
            meant.isEmpty ? [] : try await store.carryOut(decision, on: selection, by: Actor.page.rawValue)
        let done = changes.filter { $0.refusal == nil }
        let refused = changes.compactMap { change in change.refusal.map { "\(change.entry.shortID): \($0)" } }
        let others = ids.count - changes.count
        let leftOut =
            others == 0
            ? [] : ["\(MessageFormat.count(others, "entry", plural: "entries")) not: no longer parked, or in doubt"]
        let count = MessageFormat.count(done.count, "entry", plural: "entries")
        return ActionResult(
            object: [:], isDone: done.count == ids.count,
            message: (["\(decision.participle): \(count)"] + leftOut + refused).joined(separator: "; "), page: ["queue"]
        )
    }

    /// Has a resource synced at once, beside the answer.
    private func sync(_ name: String, by actor: Actor) async throws -> ActionResult {
        guard let resource = served.resources().first(where: { $0.name == name }) else {
            throw NotFound(
                "the config has no resource '\(PlainText.oneLine(name, limit: 100))'",
                hint: "'siding status' lists the resources")
        }
        let lease = Lease.name(ofResource: name)
        let isHeld = try await store.leases().contains { $0.isAlive && $0.name == lease }
        if !isHeld {
            // As 'siding sync --now' does, the source is asked at once; so are the pages of the resource that wait for their time.
            let pages = QueueSelection(resources: [name], states: [.queued], kinds: [.fetch])
            _ = try await store.carryOut(.act(.retry), on: pages, by: actor.rawValue)
            try await store.endAllWaits(of: [resource.source.name])
        }
        let isNew = isHeld ? false : syncs.ask(for: name)
        let refusal = isNew ? nil : "it is being synced already"
        return ActionResult(
            object: ["resource": name, "done": isNew, "refusal": refusal], isDone: isNew,
            message: isNew ? "a sync of \(name) begins" : "\(name): it is being synced already", page: ["runs"],
            query: [("resource", name)])
    }

    private func retryQuarantined(_ id: Int64) async throws -> ActionResult {
        let selection = QuarantineSelection(ids: [id])
        guard let change = try await store.retryQuarantined(selection, as: served.resources()).first else {
            throw NotFound.quarantined(id)
        }
        return ActionResult(
            object: Shapes.quarantined(change), isDone: change.refusal == nil,
            message: change.refusal.map { "stays in quarantine: \($0)" } ?? "\(id): saved",
            page: change.refusal == nil ? ["quarantine"] : ["quarantine", String(id)])
    }

    private func dropQuarantined(_ id: Int64) async throws -> ActionResult {
        guard let record = try await store.dropQuarantined(QuarantineSelection(ids: [id])).first else {
            throw NotFound.quarantined(id)
        }
        var object = Shapes.quarantined(record)
        object.add("done", true)
        return ActionResult(object: object, isDone: true, message: "\(id): forgotten", page: ["quarantine"])
    }
}

/// What an action did, for programs and for people.
struct ActionResult {
    let object: JSONObject
    let isDone: Bool
    let message: String
    /// The page to show next.
    let page: [String]
    var query: PageLink.Query = []
}
