public import SidingChain

extension Siding {
    /// How a ``Siding`` fares, for the check of a supervisor or a page of the program.
    public struct Health: Sendable {
        /// Why the store cannot be read; nil if it can. Without it the rest is empty.
        public var storeError: StoreError?
        /// When the loop of ``Siding/run()`` last looked for work, or completed a page or a write; nil if it never ran. It looks
        /// at least every ten seconds.
        public var lastLook: Timestamp?
        /// Since when a write is due that was not sent; nil if none is. The next look sends it.
        public var dueSince: Timestamp?
        /// The state of each resource of the program.
        public var resources: [Resource] = []
        /// The sources that are not asked at the moment, and why.
        public var gates: [SourceGate] = []

        /// One resource.
        public struct Resource: Sendable, Hashable {
            public var name: String
            /// When its last complete listing ended; nil if there is none.
            public var completedAt: Timestamp?
            /// Whether its records are older than its `maxAge`.
            public var isStale: Bool
            /// Since when its syncs fail, and why the newest one did; nil if the newest one succeeded.
            public var failingSince: Timestamp?
            public var error: RecordedError?
            /// Why its last listing is incomplete; nil if it is complete.
            public var incomplete: String?

            /// Whether it is neither stale nor failing nor incomplete.
            public var isWell: Bool { !isStale && error == nil && incomplete == nil }
        }
    }

    /// The present state, by a few reads of the store: their cost does not grow with the number of records or entries.
    public var health: Health {
        get async {
            var health = Health(lastLook: activity.lastLook)
            do throws(StoreError) { try await fill(&health) } catch {
                (health.resources, health.gates, health.storeError) = ([], [], error)
            }
            return health
        }
    }

    private func fill(_ health: inout Health) async throws(StoreError) {
        let now = wallClock.now
        let states = try await store.resourceStates(countsRecords: false)
        let runs = try await store.runs(limit: 100)
        health.resources = resources.map { resource in
            let state = states.first { $0.resource == resource.name }
            let failure = FailureStreak(of: resource.name, in: runs)
            return Health.Resource(
                name: resource.name, completedAt: state?.completedAt,
                isStale: ResourceState.isStale(state, after: resource.maxAge, at: now), failingSince: failure?.since,
                error: failure?.error, incomplete: state?.incomplete)
        }
        health.gates = try await store.gates().filter { $0.isBelieved(at: now) }
        health.dueSince = try await store.dueSince(of: Set(sender.sources.keys))
    }
}
