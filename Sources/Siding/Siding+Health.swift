// SPDX-License-Identifier: Apache-2.0
public import SidingChain

extension Siding {
    /// The present state of a ``Siding``, for a supervisor's probe or a page of the program.
    public struct Health: Sendable {
        /// Why the store cannot be read, of kind ``StoreError/Kind/closed`` after ``Siding/close()``; nil if it can be. If it cannot,
        /// ``resources`` and ``gates`` are empty.
        public var storeError: StoreError?
        /// Why the last look of ``Siding/run()`` for work failed, such as a full disk: nothing is synced or sent until a look
        /// succeeds. Nil if it did.
        public var storeFailure: StoreError?
        /// When the loop of ``Siding/run()`` last looked for work, or completed a page or a write; nil if it never ran. It looks
        /// at least every ten seconds.
        public var lastPoll: Timestamp?
        /// Since when a write is due that was not sent; nil if none is. The next look sends it.
        public var dueSince: Timestamp?
        /// The state of each resource of the program.
        public var resources: [Resource] = []
        /// The sources that are not asked at the moment, and why.
        public var gates: [SourceGate] = []

        /// One resource.
        public struct Resource: Sendable, Hashable {
            /// The name of the resource.
            public var name: String
            /// When its last complete listing ended; nil if there is none.
            public var completedAt: Timestamp?
            /// Whether its records are older than its `maxAge`.
            public var isStale: Bool
            /// When the first of its failed syncs since the last success began; nil if the newest one succeeded. Where that run
            /// was pruned (``KeepRules/runs``), the oldest one that is stored.
            public var failingSince: Timestamp?
            /// Why the newest sync failed; nil if it succeeded.
            public var error: RecordedError?
            /// Why its last listing is incomplete; nil if it is complete.
            public var incomplete: String?
            /// When ``Siding/run()`` syncs it next, or tries a retained page of it again: a moment that has passed if that is due.
            /// Nil if it waits for a person.
            public var nextSync: Timestamp?

            /// Whether it has a complete listing, and is neither stale nor failing nor incomplete.
            public var isWell: Bool { completedAt != nil && !isStale && error == nil && incomplete == nil }
        }
    }

    /// The present state, by a few reads of the store: their cost does not grow with the number of records or writes.
    public var health: Health {
        get async {
            var health = Health(storeFailure: activity.storeFailure, lastPoll: activity.lastPoll)
            do throws(StoreError) { try await fill(&health) } catch {
                (health.resources, health.gates, health.storeError) = ([], [], error)
            }
            return health
        }
    }

    /// Whether ``run()`` looked for work, or completed a page or a write, in this time: for the liveness probe of a supervisor. It
    /// looks at least every ten seconds, so 5 minutes without a look mean that it hangs. False before it runs. Reads no store.
    public func hasPolled(within time: Duration) -> Bool { lastPoll.map { wallClock.now - $0 <= time } ?? false }

    /// ``Health/lastPoll`` and ``Health/storeFailure``, without a read of the store.
    package var lastPoll: Timestamp? { activity.lastPoll }
    package var storeFailure: StoreError? { activity.storeFailure }

    private func fill(_ health: inout Health) async throws(StoreError) {
        let now = wallClock.now
        let states = try await store.resourceStates(countsRecords: false)
        let failures = try await store.failures(of: resources.map(\.name))
        let syncs = try await nextSyncs(of: states, at: now)
        health.resources = syncs.map { sync in
            let resource = sync.resource
            let state = states.first { $0.resource == resource.name }
            let failure = failures[resource.name]
            return Health.Resource(
                name: resource.name, completedAt: state?.completedAt,
                isStale: ResourceState.isStale(state, after: resource.maxAge, at: now), failingSince: failure?.since,
                error: failure?.error, incomplete: state?.incomplete,
                nextSync: nextDue(after: Timestamp(microseconds: .min), of: [sync]) ?? sync.next.moment(at: now))
        }
        health.gates = try await store.gates().filter { $0.isBelieved(at: now) }
        health.dueSince = try await store.dueSince(of: Set(sender.sources.keys))
    }
}
