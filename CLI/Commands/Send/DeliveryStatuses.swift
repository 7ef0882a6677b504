// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingSynchronization

/// Collects the last exit status of each entry and resource from several workers.
final class DeliveryStatuses: Sendable {
    private let state = Mutex<[String: (status: ExitStatus, state: QueueEntry.State?)]>([:])
    private let printing = Mutex(())

    func add(_ entry: QueueEntry, _ cause: DropCause? = nil) {
        state.withLock { $0[entry.id] = (ExitStatus(delivering: entry, cause), entry.state) }
    }

    /// Ignores a resource that was not tried because another run has it locked.
    func add(_ report: SyncReport) {
        guard report.heldBy == nil else { return }
        state.withLock { $0["resource:\(report.result.resource)"] = (ExitStatus(report), nil) }
    }

    /// Adds that the writes of a source were left alone, as its secret is missing.
    func addMissingSecret(of source: String) {
        state.withLock { $0["source:\(source)"] = (.config, nil) }
    }

    /// Adds that due writes of a source were left queued behind its gate.
    func addWaiting(of source: String) {
        state.withLock { $0["waiting:\(source)"] = (.queued, nil) }
    }

    /// Prints while no other worker prints, so that the lines of an entry stay together.
    func alone(_ print: () -> Void) { printing.withLock { _ in print() } }

    /// Whether the last recorded state of the entry is the one that it has.
    func knows(_ entry: QueueEntry) -> Bool { state.withLock { $0[entry.id]?.state == entry.state } }

    /// The combined status; nil if nothing was tried.
    var combined: ExitStatus? { ExitStatus.combining(state.withLock { $0.values.map(\.status) }) }
}

extension ExitStatus {
    /// The exit code for a write after its delivery.
    ///
    /// - Parameter cause: how a dropped write ended, if known.
    init(delivering entry: QueueEntry, _ cause: DropCause? = nil) {
        switch (entry.state, entry.reason) {
        case (.done, _): self = .success
        case (.parked, .signIn): self = .signIn
        case (.parked, .rejected), (.parked, .conflict), (.parked, .invalid): self = .refused
        case (.queued, _) where entry.lacksCredential: self = .config
        case (.parked, _), (.queued, _), (.sending, _): self = .queued
        // A write that undoes an unsent one is cancelled together with it, which is a success. Any other dropped write will never
        // be delivered.
        case (.dropped, _): self = cause == .cancelled ? .success : .refused
        }
    }
}

extension QueueEntry {
    /// Whether it waits because a secret or certificate of its source could not be read.
    var lacksCredential: Bool {
        state == .queued && lastError?.name == Failure.Reason.credentialUnavailable.name
    }
}

extension DropCause {
    var message: String {
        switch self {
        case .cancelled: "dropped, as it undoes a write that was not sent yet"
        case .replaced(let entry): "dropped: replaced by \(entry.map { "\($0.prefix(8)), " } ?? "")its edited form"
        case .other(let detail): detail.map { "dropped (\($0))" } ?? "dropped"
        }
    }
}
