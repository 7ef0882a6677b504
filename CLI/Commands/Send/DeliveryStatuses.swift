import Siding
import SidingChain
import SidingSynchronization

/// The exit statuses of the entries and resources that were tried, gathered from several workers: of each, how it was left
/// last.
final class DeliveryStatuses: Sendable {
    private let state = Mutex<[String: (status: ExitStatus, isParked: Bool)]>([:])

    func add(_ entry: QueueEntry, _ ending: QueueEvent? = nil) {
        state.withLock { $0[entry.id] = (ExitStatus(delivering: entry, ending), entry.state == .parked) }
    }

    /// A resource that another run holds was not tried.
    func add(_ report: SyncReport) {
        guard report.heldBy == nil else { return }
        state.withLock { $0["resource:\(report.line.resource)"] = (ExitStatus(report), false) }
    }

    /// Whether the entry was left parked, as far as is known here.
    func hasParked(_ entry: QueueEntry) -> Bool { state.withLock { $0[entry.id]?.isParked ?? false } }

    /// Nil where nothing was tried.
    var combined: ExitStatus? { ExitStatus.combining(state.withLock { $0.values.map(\.status) }) }
}

extension ExitStatus {
    /// The code of a write that was to be delivered.
    ///
    /// - Parameter ending: the event that ended a dropped one, where it is known.
    init(delivering entry: QueueEntry, _ ending: QueueEvent? = nil) {
        switch (entry.state, entry.reason) {
        case (.done, _): self = .success
        case (.parked, .signIn): self = .signIn
        case (.parked, .rejected), (.parked, .conflict), (.parked, .invalid): self = .refused
        case (.parked, _), (.queued, _), (.sending, _): self = .queued
        // A write that undoes one which was not sent yet goes with it: there is nothing left to do. Any other that was
        // dropped will never be delivered.
        case (.dropped, _): self = ending?.isCancellation == true ? .success : .refused
        }
    }
}

extension QueueEvent {
    /// Whether two writes were given up together, as the later one undoes the earlier.
    var isCancellation: Bool { event == "cancelled" }

    /// What became of a dropped entry, for a person.
    var ending: String {
        switch event {
        case "cancelled": "dropped, as it undoes what was not sent yet"
        // The detail is `by` and the whole id.
        case "replaced": "dropped: replaced \(String((detail ?? "").prefix(11))), its edited form"
        default: detail.map { "dropped (\($0))" } ?? "dropped"
        }
    }
}
