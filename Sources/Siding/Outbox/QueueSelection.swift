public import SidingChain

/// Selects queue entries. All conditions apply together; an empty selection selects every open entry.
public struct QueueSelection: Sendable, Hashable {
    /// Ids or unique prefixes.
    public var ids: [String]
    public var resources: [String]
    public var sources: [String]
    public var lanes: [String]
    /// Empty selects both kinds.
    public var kinds: Set<QueueEntry.Kind>
    /// Empty selects every state that is not completed.
    public var states: [QueueEntry.State]
    /// Only entries parked for one of these reasons; empty selects entries whether or not they are parked.
    public var reasons: [ParkReason]
    /// Only entries created before this time.
    public var createdBefore: Timestamp?
    /// Only entries completed before this time.
    public var settledBefore: Timestamp?
    /// Only queued entries that are due by this time.
    public var dueBy: Timestamp?

    public init(
        ids: [String] = [], resources: [String] = [], sources: [String] = [], lanes: [String] = [],
        states: [QueueEntry.State] = [], createdBefore: Timestamp? = nil, dueBy: Timestamp? = nil,
        kinds: Set<QueueEntry.Kind> = [], reasons: [ParkReason] = [], settledBefore: Timestamp? = nil
    ) {
        self.ids = ids
        self.resources = resources
        self.sources = sources
        self.lanes = lanes
        self.states = states
        self.createdBefore = createdBefore
        self.dueBy = dueBy
        self.kinds = kinds
        self.reasons = reasons
        self.settledBefore = settledBefore
    }

    /// Whether the selection contains `entry`.
    public func includes(_ entry: QueueEntry) -> Bool {
        (ids.isEmpty || ids.contains { entry.id.hasPrefix($0.lowercased()) }) && fits(entry)
    }

    /// Whether `entry` meets all conditions except ``ids``. Comparing every entry with every id would be quadratic.
    func fits(_ entry: QueueEntry) -> Bool {
        (resources.isEmpty || entry.resource.map(resources.contains) ?? false)
            && (sources.isEmpty || sources.contains(entry.source))
            && (kinds.isEmpty || kinds.contains(entry.kind))
            && (lanes.isEmpty || lanes.contains(entry.lane))
            && (states.isEmpty ? (!entry.state.isSettled || !ids.isEmpty) : states.contains(entry.state))
            && (reasons.isEmpty || entry.reason.map(reasons.contains) ?? false)
            && (settledBefore.map { moment in entry.settledAt.map { $0 < moment } ?? false } ?? true)
            && (createdBefore.map { entry.createdAt < $0 } ?? true)
            && (dueBy.map(entry.isDue) ?? true)
    }
}

/// The number of entries in one state, for one reason.
public struct QueueCount: Sendable, Hashable {
    public var state: QueueEntry.State
    /// Why they are parked.
    public var reason: ParkReason?
    public var count: Int

    public init(state: QueueEntry.State, reason: ParkReason?, count: Int) {
        (self.state, self.reason, self.count) = (state, reason, count)
    }
}

/// A closed gate: until when no requests go to a source, and why.
public struct SourceGate: Sendable, Hashable {
    public enum Reason: String, Sendable, Codable, CaseIterable {
        case offline
        case retryAfter = "retry_after"
        /// Too many attempts failed, in a row or lately.
        case breaker
        case signIn = "sign_in"
    }

    public var source: String
    public var reason: Reason
    /// Nil if it stays closed until something changes, as for `signIn`.
    public var until: Timestamp?
    public var note: String

    public init(source: String, reason: Reason, until: Timestamp?, note: String) {
        (self.source, self.reason, self.until, self.note) = (source, reason, until, note)
    }
}

extension SourceGate {
    /// Whether the gate still applies at `now`. A gate that closes for longer than any allowed `Retry-After` was set before
    /// the clock was set back, and is ignored.
    public func isBelieved(at now: Timestamp) -> Bool { until.map { $0 <= now + RetryAfter.longest } ?? true }
}

extension [SourceGate] {
    /// The gate that stops syncs of `source` now because the origin sent `Retry-After` or a rate limit is exhausted.
    func closing(_ source: String, at now: Timestamp) -> SourceGate? {
        first { gate in
            gate.source == source && gate.reason == .retryAfter && gate.isBelieved(at: now)
                && gate.until.map { $0 > now } ?? false
        }
    }
}
