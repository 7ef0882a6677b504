internal import SidingChain

extension SyncPlan {
    /// What keeps a sync from asking now, or from asking at once.
    public enum Obstacle: Sendable, Hashable {
        /// What is stored is fresh enough.
        case fresh(why: String)
        /// The gate of the source is closed.
        case gate(SourceGate)
        /// A rate limit has no room; `isPutOff`: for longer than a sync waits.
        case limit(String, isPutOff: Bool)
        /// A changed config would let too many records go.
        case configChange(why: String)
        /// The page waits for a person in the queue.
        case heldPage
        /// No parent can be asked about.
        case parents(why: String)

        /// Whether a sync would ask for nothing now.
        public var asksNothing: Bool {
            switch self {
            case .fresh, .gate, .configChange, .heldPage, .parents: true
            case .limit(_, let isPutOff): isPutOff
            }
        }

        /// The reason of a plan with this obstacle, where `reason` is why the sync would ask.
        func explained(_ reason: String) -> String {
            switch self {
            case .fresh(let why), .configChange(let why): "nothing now: \(why); then: \(reason)"
            case .gate(let gate): "nothing now: \(gate.words); then: \(reason)"
            case .limit(let words, let isPutOff):
                "\(isPutOff ? "nothing now: " : "after a wait, as ")\(words); then: \(reason)"
            case .heldPage: "nothing now: \(reason)"
            case .parents(let why): "nothing now: \(why): \(reason)"
            }
        }
    }

    /// Whether a sync would ask for nothing now; ``reason`` says why, and what it would ask for later, where that is known.
    public var asksNothing: Bool { obstacle?.asksNothing ?? false }
}
