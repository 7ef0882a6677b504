// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// A line of the history of an entry.
package struct QueueEvent: Sendable, Hashable {
    package var at: Timestamp
    /// The process that caused the event.
    package var who: String
    package var event: QueueEventKind
    /// More about it, for people.
    package var detail: String?
}

/// What happened; the raw value is stored and shown. A newer Siding may know more of them.
package struct QueueEventKind: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static let accepted = Self(rawValue: "accepted")
    package static let retained = Self(rawValue: "retained")
    package static let claimed = Self(rawValue: "claimed")
    package static let crashed = Self(rawValue: "crashed")
    package static let failed = Self(rawValue: "failed")
    package static let deferred = Self(rawValue: "deferred")
    package static let unknown = Self(rawValue: "unknown")
    package static let probed = Self(rawValue: "probed")
    package static let conflict = Self(rawValue: "conflict")
    package static let parked = Self(rawValue: "parked")
    package static let held = Self(rawValue: "held")
    package static let givenBack = Self(rawValue: "given back")
    package static let released = Self(rawValue: "released")
    package static let retried = Self(rawValue: "retried")
    package static let resolved = Self(rawValue: "resolved")
    /// Tried again, because another request of its source was answered.
    package static let letIn = Self(rawValue: "let in")
    /// Its temporary ids became real ones: the record's own, and those that it names.
    package static let named = Self(rawValue: "named")
    package static let rewritten = Self(rawValue: "rewritten")
    package static let coalesced = Self(rawValue: "coalesced")
    package static let merged = Self(rawValue: "merged")
    /// The ends of an entry.
    package static let answered = Self(rawValue: "answered")
    package static let delivered = Self(rawValue: "delivered")
    package static let found = Self(rawValue: "found")
    package static let superseded = Self(rawValue: "superseded")
    package static let dropped = Self(rawValue: "dropped")
    package static let cancelled = Self(rawValue: "cancelled")
    package static let replaced = Self(rawValue: "replaced")
}
