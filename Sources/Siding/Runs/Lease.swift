internal import FoundationEssentials
public import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// The exclusive right to work on something, such as a resource, held by one process at a time.
package struct Lease: Sendable, Hashable {
    /// `resource:posts`
    package var name: String
    /// Grows with each acquisition; a commit under an older token is refused.
    package var token: Int64

    /// The lease that a listing of `resource` needs.
    package static func name(ofResource resource: String) -> String { "\(resourcePrefix)\(resource)" }

    /// The resource of this lease; nil for a lease of another kind.
    package var resource: String? {
        name.hasPrefix(Self.resourcePrefix) ? String(name.dropFirst(Self.resourcePrefix.count)) : nil
    }

    private static let resourcePrefix = "resource:"
}

/// Who holds a lease; shown to those who wait for it.
public struct LeaseHolder: Sendable, Hashable, Codable {
    /// Its process, on ``host``.
    public var processID: Int32
    /// The name of its machine.
    public var host: String
    /// What the holder is doing, such as `sync posts`.
    public var command: String
    /// When it took the lease.
    public var since: Timestamp

    package init(processID: Int32, host: String, command: String, since: Timestamp) {
        self.processID = processID
        self.host = host
        self.command = command
        self.since = since
    }
}

extension LeaseHolder {
    /// `'posts' is held by process 12 on host (sync posts) since 2024-05-01T12:00:00Z`
    func message(holding resource: String) -> String {
        "'\(resource)' is held by process \(processID) on \(host) (\(command)) since \(since.rfc3339)"
    }
}

/// The result of trying to acquire a lease.
package enum LeaseOutcome: Sendable, Hashable {
    case acquired(Lease)
    case held(by: LeaseHolder)
}

extension Store {
    /// Takes the lease `name` if it is free, if its holder is dead, or if this process holds it but no longer works under it
    /// because releasing it failed.
    package func acquireLease(_ name: String, command: String) async throws(StoreError) -> LeaseOutcome {
        let me = try ownerID()
        let found = try await read { snapshot in
            try snapshot.first("SELECT owner, holder FROM siding_leases WHERE name = ?1", name) { row in
                (owner: try row.optionalText("owner"), holder: try row.optionalText("holder"))
            }
        }
        if let owner = found?.owner, owner == me ? claimedWork.holds(name) : self.owner.isAlive(owner) {
            return .held(by: Self.holder(found?.holder))
        }
        let last = found?.owner
        let holder = LeaseHolder(
            processID: getpid(), host: ProcessInfo.processInfo.hostName, command: command, since: clock.now)
        let outcome: LeaseOutcome
        let taken = Mutex<Int64?>(nil)
        do throws(StoreError) {
            outcome = try await claimLease(name, from: last, owner: me, holder: holder) { token in
                taken.withLock { $0 = token }
            }
        } catch {
            // Nothing was committed, so nobody works under this token.
            if let token = taken.withLock({ $0 }) { claimedWork.remove(name, token) }
            throw error
        }
        if case .acquired = outcome, let last, last != me { self.owner.forget(last) }
        return outcome
    }

    private func claimLease(
        _ name: String, from last: String?, owner me: String, holder: LeaseHolder,
        taking: @escaping @Sendable (Int64) -> Void
    ) async throws(StoreError) -> LeaseOutcome {
        let claimedWork = claimedWork
        return try await write { transaction -> LeaseOutcome in
            // Since the read, another task of this process may have taken it.
            if last == me, claimedWork.holds(name) { return .held(by: holder) }
            let outcome = try Self.claimLease(
                name, from: last, owner: me, holder: try Self.json(holder), transaction)
            guard case .acquired(let lease) = outcome else { return outcome }
            if last == me, let resource = lease.resource {
                try QueueTransitions(owner: me, now: holder.since).putBackFetches(of: resource, transaction)
            }
            // Registered before the commit, so that whoever sees the row also finds its owner.
            claimedWork.add(name, lease.token)
            taking(lease.token)
            return outcome
        }
    }

    /// Takes the lease if its owner is still `last`; of several concurrent writers only the first succeeds.
    private static func claimLease(
        _ name: String, from last: String?, owner: String, holder: String, _ transaction: borrowing Transaction
    ) throws -> LeaseOutcome {
        try transaction.execute("INSERT INTO siding_leases (name, token) VALUES (?1, 0) ON CONFLICT DO NOTHING", name)
        let taken = try transaction.execute(
            "UPDATE siding_leases SET owner = ?2, holder = ?3, token = token + 1 WHERE name = ?1 AND owner IS ?4", name,
            owner, holder, last)
        let row = try transaction.first("SELECT token, holder FROM siding_leases WHERE name = ?1", name) { row in
            (token: try row.int("token"), holder: try row.optionalText("holder"))
        }
        guard taken == 1, let row else { return .held(by: self.holder(row?.holder)) }
        return .acquired(Lease(name: name, token: row.token))
    }

    /// Releases the lease; does nothing if it was lost meanwhile.
    package func releaseLease(_ lease: Lease) async throws(StoreError) {
        // Released or not: nobody works under it any more.
        defer { claimedWork.remove(lease.name, lease.token) }
        let me = try ownerID()
        let now = clock.now
        try await write { transaction in
            let released = try transaction.execute(
                """
                UPDATE siding_leases SET owner = NULL, holder = NULL
                WHERE name = ?1 AND owner = ?2 AND token = ?3
                """, lease.name, me, lease.token)
            // Entries that are still claimed were not answered. Their sender lives, so this is not a crash.
            if released == 1, let resource = lease.resource {
                try QueueTransitions(owner: me, now: now).putBackFetches(of: resource, transaction)
            }
        }
    }

    /// Writes in one transaction, provided that this process still holds `lease`.
    func write<Value: Sendable>(
        under lease: Lease, _ body: @Sendable (QueueTransitions, borrowing Transaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let transitions = QueueTransitions(owner: try ownerID(), now: clock.now)
        return try await write { transaction in
            try Self.check(lease, owner: transitions.owner, transaction)
            return try body(transitions, transaction)
        }
    }

    /// Throws ``StoreError/Kind/leaseLost`` if this process no longer holds `lease`: nothing may be written under it.
    static func check(_ lease: Lease, owner: String, _ transaction: borrowing Transaction) throws {
        let isOurs = try transaction.exists(
            "SELECT 1 FROM siding_leases WHERE name = ?1 AND owner = ?2 AND token = ?3", lease.name, owner, lease.token)
        guard isOurs else {
            throw StoreError(.leaseLost, "another run took over \(lease.name); nothing more was written by this one")
        }
    }

    func ownerID() throws(StoreError) -> String {
        do { return try owner.id() } catch { throw StoreError(mapping: error) }
    }

    private static func holder(_ text: String?) -> LeaseHolder {
        decode(LeaseHolder.self, text)
            ?? LeaseHolder(processID: 0, host: "", command: "", since: Timestamp(microseconds: 0))
    }
}

/// A lease that is held, or whose holder died.
package struct LeaseReport: Sendable, Hashable {
    package var name: String
    package var holder: LeaseHolder
    package var isAlive: Bool
}

extension Store {
    /// The leases that are taken, and whether their holders are alive; for `doctor`.
    package func leases() async throws(StoreError) -> [LeaseReport] {
        let owner = owner
        return try await read { snapshot in
            try snapshot.query(
                "SELECT name, owner, holder FROM siding_leases WHERE owner IS NOT NULL ORDER BY name"
            ) { row in
                LeaseReport(
                    name: try row.text("name"), holder: Self.holder(try row.optionalText("holder")),
                    isAlive: owner.isAlive(try row.text("owner")))
            }
        }
    }
}
