// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

extension Siding {
    /// The events of a ``Siding`` from the moment at which ``Siding/events`` was read. It ends when its task is cancelled, and
    /// after ``Siding/close()``.
    ///
    /// A reader that is slow holds up nothing: up to 1,000 events wait for it, then the oldest are dropped and reported as
    /// ``Event/missed(_:)``. There is no background task: records are compared while the reader waits.
    public struct Events: AsyncSequence, Sendable {
        /// What a loop over the sequence receives.
        public typealias Element = Event
        /// A loop needs no `try`: a store that cannot be read is read again later.
        public typealias Failure = Never

        /// How often to look for records that other processes changed; what this process commits is seen at once.
        static let interval = Duration.seconds(1)

        let store: Store
        let buffer: EventBuffer
        let clock: any Clock<Duration>
        /// The commits of this process when the sequence was made.
        let commits: UInt64

        init(store: Store, buffer: EventBuffer, clock: any Clock<Duration>) {
            (self.store, self.buffer, self.clock) = (store, buffer, clock)
            commits = store.changeSignal.count
        }

        /// A loop of its own. All iterators of one `Events` value share its events: each event reaches only one of them.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

        /// Receives one event after another, each as soon as there is one.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let events: Events
            /// The revisions of the resources at the last look; nil before the first.
            private var revisions: [String: Int64]?
            /// Resources whose change is not reported yet.
            private var changed: ArraySlice<String> = []

            init(_ events: Events) {
                self.events = events
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
                while !Task.isCancelled {
                    // Read before the looks, so that whatever comes after them ends the wait.
                    let (published, commits) = (events.buffer.signal.count, events.store.changeSignal.count)
                    if let event = events.buffer.take() { return event }
                    if changed.isEmpty { await compare() }
                    if let resource = changed.popFirst() { return .recordsChanged(resource: resource) }
                    guard !events.buffer.isClosed else { return nil }
                    await events.wait(published, commits)
                }
                return nil
            }

            /// Finds the resources whose records changed since the last look. A store that cannot be read now is read later.
            private mutating func compare() async {
                // Changes between the beginning and the first look are known by their number alone, not by their resource.
                let known = revisions ?? [:]
                let isNews = revisions != nil || events.store.changeSignal.count != events.commits
                guard let found = try? await events.store.revisions() else { return }
                revisions = found
                guard isNews else { return }
                let differing = Set(found.keys).union(known.keys).filter { found[$0] != known[$0] }
                changed = differing.sorted()[...]
            }
        }

        private func wait(_ published: UInt64, _ commits: UInt64) async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await buffer.signal.wait(past: published) }
                group.addTask { await store.changeSignal.wait(past: commits) }
                group.addTask { try? await clock.sleep(for: Self.interval) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}

extension Store {
    /// The revision of each resource, by name; it grows with every commit that writes records of the resource.
    func revisions() async throws(StoreError) -> [String: Int64] {
        try await read { try ResourcesTable.revisionsByName($0) }
    }
}
