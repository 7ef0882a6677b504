internal import HTTPTypes
internal import Siding
internal import SidingInspection
internal import SidingJSON

/// Actions of operators, on entries and quarantined records, through the same functions as the commands.
struct OperatorRoutes: Sendable {
    let served: ServedStore
    private var store: Store { served.store }

    /// Whom the history of an entry names.
    enum Actor: String {
        case page = "web page"
        case program = "API"
    }

    /// - Parameters:
    ///   - path: `queue/ID/ACTION` or `quarantine/ID/ACTION`.
    ///   - fields: `how` and `real_id` of a resolution.
    ///   - record: the wanted record of a merge.
    func act(
        _ path: [String], _ fields: Parameters, record: [UInt8], by actor: Actor
    ) async throws -> ActionResult {
        guard path.count == 3 else { throw ServiceProblem.noPage }
        switch path[0] {
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
        // As 'siding queue retry' does: its source is tried as well.
        if isDone, decision == .act(.retry) { try await store.openGate(ofSource: change.entry.source) }
        return ActionResult(
            object: Shapes.change(change, by: decision, isRehearsal: false), isDone: isDone,
            message: isDone
                ? decision.outcome(change)
                : [decision.denial + ": " + (change.refusal ?? ""), change.hint].compactMap(\.self)
                    .joined(separator: "; "),
            page: ["queue", change.entry.id])
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
}
