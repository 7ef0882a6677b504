// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSQLite

/// What a sender has to do, as found by one read of the store.
package struct QueueOutlook: Sendable, Hashable {
    /// When the next write of each source may be tried; without those of which none waits for its time.
    package var due: [String: Timestamp] = [:]
    /// The sources with a write that may be tried now.
    package var ready: Set<String> = []
    /// Whether an entry waits to be parked, as it has expired.
    package var hasExpired = false
    /// All sources with a claimed write, whether its sender is alive or dead.
    package var claimed: Set<String> = []
    /// All sources with an entry parked for a sign-in, or with a gate closed for one that nothing has opened since: worth a try
    /// once the credentials have changed.
    package var wantingSignIn: Set<String> = []

    /// Whether a claim might find a due write, or park an expired one.
    package var hasWork: Bool { !ready.isEmpty || hasExpired }
    /// When the next write may be tried; nil if none waits for its time.
    package var nextDue: Timestamp? { due.values.min() }

    /// The first moment after `moment` at which a write becomes due; nil if there is none. A source whose writes are due
    /// already does not hide the others.
    func nextDue(after moment: Timestamp) -> Timestamp? { due.values.filter { $0 > moment }.min() }

    /// The same without the due writes of these sources.
    func without(_ sources: Set<String>) -> QueueOutlook {
        var outlook = self
        outlook.due = due.filter { !sources.contains($0.key) }
        outlook.ready.subtract(sources)
        return outlook
    }
}

/// Why waiting may end early.
package enum WaitsEnd: Sendable, Hashable {
    /// A link, an address or a route appeared: entries that wait for the network are due.
    case lineReturned
    /// An operator asks to try now: entries that wait for a sign-in are due as well.
    case retryRequested
    /// Entries that wait for a sign-in are due; entries that wait for the network keep waiting.
    case credentialsChanged
}

extension Store {
    /// What a sender has to do for claims from these sources. Takes no writer lock: waiting senders ask again and again.
    package func outlook(of sources: Set<String>) async throws(StoreError) -> QueueOutlook {
        let now = clock.now
        return try await read { snapshot in
            let due = try Self.due(of: sources, now, snapshot)
            let closed = try SourcesTable.gates(snapshot).filter { $0.reason == .signIn && $0.until == nil }
                .map(\.source)
            return QueueOutlook(
                due: due, ready: Set(due.filter { $0.value <= now }.keys),
                hasExpired: try !OutboxTable.expired(now, snapshot).isEmpty,
                claimed: Set(try OutboxTable.claimedWrites(snapshot).map(\.source)),
                wantingSignIn: try OutboxTable.sourcesParkedForSignIn(snapshot).union(closed))
        }
    }

    private static func due(
        of sources: Set<String>, _ now: Timestamp, _ snapshot: borrowing Snapshot
    ) throws -> [String: Timestamp] {
        var moments: [String: Timestamp] = [:]
        for source in sources {
            guard let times = try OutboxTable.dueTimes(of: source, snapshot),
                let opens = try SourcesTable.load(source, snapshot).opens(now: now)
            else { continue }
            // A wait beyond the longest one ends with the next claim.
            let due = times.last > now + RetryRules.longestWait ? min(times.first, now) : times.first
            // An open gate does not make a write that waits for its turn due later.
            moments[source] = opens > now ? max(due, opens) : due
        }
        return moments
    }

    /// Since when the first due write of these sources waits to be sent; nil if none is due. Those of a closed gate are not due.
    func dueSince(of sources: Set<String>) async throws(StoreError) -> Timestamp? {
        let now = clock.now
        return try await read { snapshot in
            try sources.compactMap { source in
                let first = try OutboxTable.dueTimes(of: source, snapshot)?.first
                guard let first, first <= now, try SourcesTable.load(source, snapshot).opens(now: now) == now else {
                    return nil
                }
                return first
            }.min()
        }
    }

    /// Ends waits that have lost their reason: gates open for a half-open probe, and entries that waited for the network are
    /// due. An origin's `Retry-After` still applies.
    ///
    /// - Parameter sources: the sources affected; nil for all.
    package func endWaits(of sources: Set<String>?, because cause: WaitsEnd) async throws(StoreError) {
        let transitions = try transitions()
        try await write { transaction in
            for source in try SourcesTable.names(transaction) where sources?.contains(source) ?? true {
                try transitions.endWaits(of: source, because: cause, transaction)
            }
        }
    }

    /// Ends all waits of `sources`, as somebody asks for a sync at once: those that an origin asked for as well. Its next failure
    /// begins them anew.
    package func endAllWaits(of sources: Set<String>) async throws(StoreError) {
        let transitions = try transitions()
        try await write { transaction in
            for gate in try SourcesTable.gates(transaction) where sources.contains(gate.source) {
                guard gate.reason == .retryAfter else { continue }
                try SourcesTable.openGate(of: gate.source, at: transitions.now, transaction)
            }
            for source in sources.sorted() {
                try transitions.endWaits(of: source, because: .retryRequested, transaction)
                try OutboxTable.endWaits(beyond: transitions.now, of: source, transitions.now, transaction)
            }
        }
    }
}

extension QueueTransitions {
    /// Opens the gate for a half-open probe if `cause` ends its reason, and makes the entries due that waited for it.
    func endWaits(of source: String, because cause: WaitsEnd, _ transaction: borrowing Transaction) throws {
        let isOfLine = cause != .credentialsChanged
        let isOfSignIn = cause != .lineReturned
        var health = try SourcesTable.load(source, transaction)
        switch health.gate?.reason {
        case .offline where isOfLine, .portal where isOfLine, .breaker where isOfLine, .signIn where isOfSignIn:
            health.gate?.until = now
            try SourcesTable.save(health, now, transaction)
        case .offline, .portal, .breaker, .signIn, .retryAfter, nil: break
        }
        if isOfLine { try OutboxTable.endWaitsForLine(of: source, now, transaction) }
        if isOfSignIn {
            try requeue(OutboxTable.parkedForSignIn(source, transaction), because: .released, transaction)
        }
    }
}
