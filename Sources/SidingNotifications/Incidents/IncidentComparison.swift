// SPDX-License-Identifier: Apache-2.0
package import Siding
package import SidingChain

/// The stored incidents compared with the present conditions.
package struct IncidentComparison: Sendable {
    /// All incidents after the comparison: those that last, and those whose end is not notified everywhere.
    package private(set) var incidents: [Incident] = []
    /// Those of ``incidents`` that began or ended since they were stored.
    package private(set) var changed: [Incident] = []

    /// An incident begins with its condition and ends with it. One that begins again before its end was notified everywhere
    /// is a new one: what holds now is notified, and no longer what held before.
    package init(
        of stored: [Incident], with conditions: Conditions, for hooks: [NotificationHook], now: Timestamp
    ) {
        let limit = hooks.leastQueueAge
        var present = Dictionary(conditions.present.map { ($0.key, $0) }) { first, _ in first }
        for incident in stored {
            let found = present.removeValue(forKey: incident.key)
            switch (found, incident.endedAt) {
            case (var found?, _?):
                // A hook that is down stays so, whatever it is notified of.
                found.failedCalls = incident.failedCalls
                change(found)
            case (nil, nil) where !conditions.undecided.contains(incident.key):
                var over = incident
                over.endedAt = now
                over.notified = Set(hooks.filter { !$0.awaitsEnd(of: incident, limit) }.map(\.id))
                change(over)
            default:
                var incident = incident
                incident.oldestSince = found?.since
                incidents.append(incident)
            }
        }
        for incident in conditions.present where present[incident.key] != nil { change(incident) }
    }

    private mutating func change(_ incident: Incident) {
        incidents.append(incident)
        changed.append(incident)
    }

    /// The incidents that last.
    package var open: [Incident] { incidents.filter { $0.endedAt == nil } }
}
