import Siding
import SidingChain
import SidingSynchronization

/// Collects the last exit status of each entry and resource from several workers.
final class DeliveryStatuses: Sendable {
    private let state = Mutex<[String: (status: ExitStatus, isParked: Bool)]>([:])

    func add(_ entry: QueueEntry, _ ending: QueueEvent? = nil) {
        state.withLock { $0[entry.id] = (ExitStatus(delivering: entry, ending), entry.state == .parked) }
    }

    /// Ignores a resource that was not tried because another run has it locked.
    func add(_ report: SyncReport) {
        guard report.heldBy == nil else { return }
        state.withLock { $0["resource:\(report.result.resource)"] = (ExitStatus(report), false) }
    }

    /// Whether the last recorded state of the entry is parked.
    func hasParked(_ entry: QueueEntry) -> Bool { state.withLock { $0[entry.id]?.isParked ?? false } }

    /// The combined status; nil if nothing was tried.
    var combined: ExitStatus? { ExitStatus.combining(state.withLock { $0.values.map(\.status) }) }
}

extension ExitStatus {
    /// The exit code for a write after its delivery.
    ///
    /// - Parameter ending: the last event of a dropped write, if known.
    init(delivering entry: QueueEntry, _ ending: QueueEvent? = nil) {
        switch (entry.state, entry.reason) {
        case (.done, _): self = .success
        case (.parked, .signIn): self = .signIn
        case (.parked, .rejected), (.parked, .conflict), (.parked, .invalid): self = .refused
        case (.parked, _), (.queued, _), (.sending, _): self = .queued
        // A write that undoes an unsent one is cancelled together with it, which is a success. Any other dropped write will never
        // be delivered.
        case (.dropped, _): self = ending?.isCancellation == true ? .success : .refused
        }
    }
}

extension QueueEvent {
    /// Whether this event dropped two writes together because the later undoes the earlier.
    var isCancellation: Bool { event == "cancelled" }

    /// Why the entry was dropped, as a message.
    var ending: String {
        switch event {
        case "cancelled": "dropped, as it undoes a write that was not sent yet"
        // `detail` is "by " and the whole id.
        case "replaced": "dropped: replaced \(String((detail ?? "").prefix(11))), its edited form"
        default: detail.map { "dropped (\($0))" } ?? "dropped"
        }
    }
}
