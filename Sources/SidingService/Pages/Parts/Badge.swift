// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// A state in a word; the colour only repeats it.
struct Badge: Sendable {
    enum Kind: String {
        case good, busy, waiting, bad, quiet
    }

    let kind: String
    let text: String

    init(_ kind: Kind, _ text: String) {
        (self.kind, self.text) = (kind.rawValue, text)
    }
}

extension Badge {
    /// How a resource is, in the order in which ``Overview/state(of:_:)`` decides.
    init(_ line: Overview.ResourceLine) {
        if line.isRunning {
            self.init(.busy, "running")
        } else if line.state?.incomplete != nil {
            self.init(.waiting, "incomplete")
        } else if let failure = line.failure {
            self.init(failure.isQueued ? .waiting : .bad, failure.isQueued ? "waiting" : "failing")
        } else if line.state?.checkpoint != nil || line.state?.pass?.isOpen == true {
            self.init(.waiting, "unfinished")
        } else if line.state?.completedAt == nil {
            self.init(.quiet, "not synced")
        } else {
            self.init(line.isStale ? .waiting : .good, line.isStale ? "stale" : "fresh")
        }
    }

    init(_ state: PublicationState, now: Timestamp) {
        let kind: Kind =
            if state.refusal != nil {
                .bad
            } else if !state.failures.isEmpty || state.waitsTooLong(at: now) {
                .waiting
            } else {
                state.behind > 0 ? .quiet : .good
            }
        self.init(kind, state.word)
    }

    /// - Parameter isOver: whether the run has ended; a resource of it without an outcome was interrupted then.
    init(_ outcome: RunOutcome?, isOver: Bool) {
        switch outcome ?? (isOver ? .interrupted : nil) {
        case .saved: self.init(.good, "saved")
        case .notModified: self.init(.good, "not modified")
        case .queued: self.init(.waiting, "queued")
        case .partial: self.init(.waiting, "partial")
        case .skipped: self.init(.quiet, "skipped")
        case .failed: self.init(.bad, "failed")
        case .interrupted: self.init(.bad, "interrupted")
        case nil: self.init(.busy, "running")
        }
    }

    init(_ state: QueueEntry.State, _ reason: ParkReason?) {
        let text = state.text(reason)
        switch state {
        case .queued: self.init(.quiet, text)
        case .sending: self.init(.busy, text)
        case .parked: self.init(reason == .held ? .waiting : .bad, text)
        case .done: self.init(.good, text)
        case .dropped: self.init(.quiet, text)
        }
    }
}
