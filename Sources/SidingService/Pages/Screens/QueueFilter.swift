// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// Which entries `/queue` shows.
struct QueueFilter: Sendable {
    let state: QueueEntry.State?
    let reason: ParkReason?
    private let source: String?
    private let resource: String?
    private let age: Age?

    /// The least age of an entry.
    private enum Age: String, CaseIterable {
        case hour = "1h"
        case day = "1d"
        case week = "7d"
        case month = "30d"

        var span: (duration: Duration, text: String) {
            switch self {
            case .hour: (.seconds(3_600), "an hour")
            case .day: (.seconds(86_400), "a day")
            case .week: (.seconds(7 * 86_400), "a week")
            case .month: (.seconds(30 * 86_400), "30 days")
            }
        }
    }

    /// - Throws: ``ServiceProblem`` for what no menu offers.
    init(_ query: Parameters) throws {
        state = try query.choice("state", of: QueueEntry.State.self)
        reason = try query.choice("reason", of: ParkReason.self)
        age = try query.choice("older", of: Age.self)
        (source, resource) = (try query.filled("source"), try query.filled("resource"))
    }

    /// The parameters that are set.
    var parameters: [(name: String, value: String?)] {
        [
            ("state", state?.rawValue), ("reason", reason?.rawValue), ("source", source), ("resource", resource),
            ("older", age?.rawValue),
        ].filter { $0.1 != nil }
    }

    func selection(now: Timestamp) -> QueueSelection {
        var selection = QueueSelection(
            resources: resource.map { [$0] } ?? [], sources: source.map { [$0] } ?? [],
            states: state.map { [$0] } ?? [], reasons: reason.map { [$0] } ?? [])
        selection.createdBefore = age.map { now + (.zero - $0.span.duration) }
        return selection
    }

    func menus(_ resources: [AnyResource]) -> [Menu] {
        [
            Menu("state", "State", all: "waiting", Self.values(QueueEntry.State.self), chosen: state?.rawValue),
            Menu("reason", "Parked because", all: "any reason", Self.values(ParkReason.self), chosen: reason?.rawValue),
            Menu(
                "older", "Older than", all: "any age", Age.allCases.map { ($0.rawValue, $0.span.text) },
                chosen: age?.rawValue),
            Menu("source", "Source", all: "all", Self.names(resources.map(\.source.name)), chosen: source),
            Menu("resource", "Resource", all: "all", Self.names(resources.map(\.name)), chosen: resource),
        ]
    }

    private static func values<Value: CaseIterable & RawRepresentable<String>>(
        _: Value.Type
    ) -> [(value: String, text: String)] {
        Value.allCases.map { ($0.rawValue, $0.rawValue.replacing("_", with: " ")) }
    }

    private static func names(_ names: [String]) -> [(value: String, text: String)] {
        Set(names).sorted().map { ($0, $0) }
    }
}
