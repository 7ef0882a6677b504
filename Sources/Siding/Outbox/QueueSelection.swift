public import SidingChain

/// Which entries are meant: all conditions hold at once; an empty selection means every unsettled entry.
public struct QueueSelection: Sendable, Hashable {
    /// Ids or prefixes of them.
    public var ids: [String]
    public var resources: [String]
    public var sources: [String]
    public var lanes: [String]
    /// Empty means both.
    public var kinds: Set<QueueEntry.Kind>
    /// Empty means every state that is not settled.
    public var states: [QueueEntry.State]
    /// Only entries that are parked for one of these; empty means parked for any, or not at all.
    public var reasons: [ParkReason]
    /// Only entries that were created before this moment.
    public var createdBefore: Timestamp?
    /// Only entries that were settled before this moment.
    public var settledBefore: Timestamp?
    /// Only queued entries whose time has come by this moment.
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

    /// Whether `entry` is meant.
    public func includes(_ entry: QueueEntry) -> Bool {
        (ids.isEmpty || ids.contains { entry.id.hasPrefix($0.lowercased()) }) && fits(entry)
    }

    /// Whether all but ``ids`` means `entry`: to ask each of many entries for each of their ids would take the square of both.
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

/// How many entries are in one state, for one reason.
public struct QueueCount: Sendable, Hashable {
    public var state: QueueEntry.State
    /// Why they are parked.
    public var reason: ParkReason?
    public var count: Int

    public init(state: QueueEntry.State, reason: ParkReason?, count: Int) {
        (self.state, self.reason, self.count) = (state, reason, count)
    }
}

/// Until when a source is left alone, and why.
public struct SourceGate: Sendable, Hashable {
    public enum Reason: String, Sendable, Codable, CaseIterable {
        case offline
        case retryAfter = "retry_after"
        /// Too many tries failed in a row, or lately.
        case breaker
        case signIn = "sign_in"
    }

    public var source: String
    public var reason: Reason
    /// Nil until something changes, for `signIn`.
    public var until: Timestamp?
    public var note: String

    public init(source: String, reason: Reason, until: Timestamp?, note: String) {
        (self.source, self.reason, self.until, self.note) = (source, reason, until, note)
    }
}

extension SourceGate {
    /// Whether the gate is obeyed at `now`: one that is further ahead than any origin is believed was set before the clock was
    /// set back.
    public func isBelieved(at now: Timestamp) -> Bool { until.map { $0 <= now + RetryAfter.longest } ?? true }
}

extension [SourceGate] {
    /// The gate that keeps syncs from asking `source` now, as the origin or its limits ask for patience.
    func closing(_ source: String, at now: Timestamp) -> SourceGate? {
        first { gate in
            gate.source == source && gate.reason == .retryAfter && gate.isBelieved(at: now)
                && gate.until.map { $0 > now } ?? false
        }
    }
}
