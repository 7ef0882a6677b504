// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// A condition that an operator should know of, from the moment it began until its end was notified.
package struct Incident: Sendable, Hashable {
    /// What is wrong.
    package enum Kind: String, Sendable, CaseIterable {
        /// The last sync of a resource failed, and nothing in the queue continues it; or a target refuses what is published.
        case failed
        /// The last listing of a resource is incomplete.
        case incomplete
        /// An entry of a source has been queued, or a change has waited for a target, for longer than a hook allows.
        case queuedTooLong = "queued_too_long"
        /// Entries of a source wait for an operator.
        case parked
        /// The mass-deletion guard blocked deletions of a resource.
        case deletionsBlocked = "deletions_blocked"
    }

    /// At most one incident of a kind is stored for a subject.
    package struct Key: Sendable, Hashable {
        package var kind: Kind
        /// A resource, for `queuedTooLong` and `parked` a source; or a target, as ``Publication/subject(ofTarget:)`` has it.
        package var subject: String
        package var isOfTarget: Bool { subject.hasPrefix(Publication.subjectPrefix) }

        package init(_ kind: Kind, of subject: String) {
            (self.kind, self.subject) = (kind, subject)
        }
    }

    /// The calls of a hook that did not take the notification.
    package struct FailedCalls: Sendable, Hashable, Codable {
        package var count: Int
        /// When the last one was made, in microseconds since 1970.
        package var at: Int64
    }

    package var key: Key
    package var since: Timestamp
    /// Since when the entry is queued that is the oldest now, if the condition is that; not stored.
    package var oldestSince: Timestamp?
    /// Why, in one sentence, as it was when the incident began.
    package var message: String
    /// Nil while it lasts.
    package var endedAt: Timestamp?
    /// The hooks that took the notification of its beginning, or once it has ended, of its end.
    package var notified: Set<String> = []
    /// The hooks that were called in vain about it, or about one before it of the same kind and subject; without those that took
    /// any notification since.
    package var failedCalls: [String: FailedCalls] = [:]

    package init(_ kind: Kind, of subject: String, since: Timestamp, message: String) {
        key = Key(kind, of: subject)
        (self.since, self.message) = (since, message)
    }
}
