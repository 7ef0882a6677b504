// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// Selects queue entries. All conditions apply together; an empty selection selects every open entry.
package struct QueueSelection: Sendable, Hashable {
    /// Ids or unique prefixes.
    package var ids: [String]
    package var resources: [String]
    package var sources: [String]
    package var lanes: [String]
    /// Empty selects both kinds.
    package var kinds: Set<EntryKind>
    /// Empty selects every state that is not completed.
    package var states: [QueueEntry.State]
    /// Only entries parked for one of these reasons; empty selects entries whether or not they are parked.
    package var reasons: [ParkReason]
    /// No entries parked for one of these reasons.
    package var exceptReasons: Set<ParkReason> = []
    package var createdBefore: Timestamp?
    package var completedBefore: Timestamp?
    package var dueBy: Timestamp?

    /// The parameters are the properties of the same names; set the others on the value.
    package init(
        ids: [String] = [], resources: [String] = [], sources: [String] = [], lanes: [String] = [],
        states: [QueueEntry.State] = [], kinds: Set<EntryKind> = [], reasons: [ParkReason] = []
    ) {
        (self.ids, self.resources, self.sources, self.lanes) = (ids, resources, sources, lanes)
        (self.states, self.kinds, self.reasons) = (states, kinds, reasons)
    }

    /// Whether `entry` meets all conditions except ``ids``. Comparing every entry with every id would be quadratic.
    func fits(_ entry: QueueEntry) -> Bool {
        (resources.isEmpty || entry.resource.map(resources.contains) ?? false)
            && (sources.isEmpty || sources.contains(entry.source))
            && (kinds.isEmpty || kinds.contains(entry.kind))
            && (lanes.isEmpty || lanes.contains(entry.lane))
            && (states.isEmpty ? (!entry.state.isCompleted || !ids.isEmpty) : states.contains(entry.state))
            && (reasons.isEmpty || entry.reason.map(reasons.contains) ?? false)
            && !(entry.reason.map(exceptReasons.contains) ?? false)
            && (completedBefore.map { moment in entry.completedAt.map { $0 < moment } ?? false } ?? true)
            && (createdBefore.map { entry.createdAt < $0 } ?? true)
            && (dueBy.map(entry.isDue) ?? true)
    }
}

extension QueueSelection: Changeable {}
