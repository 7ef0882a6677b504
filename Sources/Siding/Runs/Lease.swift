// SPDX-License-Identifier: Apache-2.0
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
}

extension LeaseHolder: CustomStringConvertible {
    /// This process.
    init(command: String, since: Timestamp) {
        self.init(processID: getpid(), host: ProcessInfo.processInfo.hostName, command: command, since: since)
    }

    /// `process 12 on host (sync posts) since 2024-05-01T12:00:00.000Z`
    public var description: String {
        "process \(processID) on \(host) (\(command)) since \(since.rfc3339)"
    }

    /// `'posts' is held by process 12 on host (sync posts) since 2024-05-01T12:00:00.000Z`
    func message(holding resource: String) -> String { "'\(resource)' is held by \(self)" }
}

/// The result of trying to acquire a lease.
package enum LeaseOutcome: Sendable, Hashable {
    case acquired(Lease)
    case held(by: LeaseHolder)
}

extension Store {
    /// Runs `body` under the lease `name`, and always releases it afterwards, also where the task is cancelled.
    ///
    /// - Parameters:
    ///   - command: what is being done, shown to those who wait for the lease.
    ///   - wait: how long to wait for a holder, by the time of `clock`.
    ///   - otherwise: what is done instead while another one holds the lease.
    package func withLease<Value: Sendable>(
        _ name: String, command: String, wait: Duration = .zero, by clock: (any Clock<Duration>)? = nil,
        _ body: (Lease) async throws(StoreError) -> Value,
        ifHeld otherwise: (LeaseHolder) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let lease: Lease
        switch try await acquireLease(name, command: command, wait: wait, by: clock ?? monotonicClock) {
        case .held(let holder): return try otherwise(holder)
        case .acquired(let acquired): lease = acquired
        }
        let result: Result<Value, StoreError>
        do throws(StoreError) { result = .success(try await body(lease)) } catch { result = .failure(error) }
        do throws(StoreError) {
            try await uncancelled { () throws(StoreError) in try await self.releaseLease(lease) }
        } catch {
            // The first error is the cause. This process works under the lease no longer, so the next one takes it.
            if case .success = result { throw error }
        }
        return try result.get()
    }

    /// Runs `body` under the lease of `resource`.
    ///
    /// - Throws: ``StoreError/Kind/leaseLost``, with its holder, while another one holds it.
    package func withLease<Value: Sendable>(
        ofResource resource: String, command: String, _ body: (Lease) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await withLease(Lease.name(ofResource: resource), command: command, body) { holder throws(StoreError) in
            throw StoreError(.leaseLost, holder.message(holding: resource), hint: "wait for it, then try again")
        }
    }

    private func acquireLease(
        _ name: String, command: String, wait: Duration, by clock: any Clock<Duration>
    ) async throws(StoreError) -> LeaseOutcome {
        var waited = Duration.zero
        let step = Duration.milliseconds(100)
        while true {
            let outcome = try await acquireLease(name, command: command)
            if case .acquired = outcome { return outcome }
            guard waited < wait else { return outcome }
            do { try await clock.sleep(for: step) } catch { return outcome }
            waited += step
        }
    }

    /// Takes the lease `name` if it is free, if its holder is dead, or if this process holds it but no longer works under it
    /// because releasing it failed.
    package func acquireLease(_ name: String, command: String) async throws(StoreError) -> LeaseOutcome {
        let me = try ownerID()
        let found = try await read { try LeasesTable.held(name, $0) }
        if let found, found.owner == me ? claimedWork.holds(name) : owner.isAlive(found.owner) {
            return .held(by: try found.holder)
        }
        let last = found?.owner
        let holder = LeaseHolder(command: command, since: clock.now)
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
            let outcome = try LeasesTable.take(name, from: last, owner: me, holder: holder, transaction)
            guard case .acquired(let lease) = outcome else { return outcome }
            if last == me, let resource = lease.resource {
                try QueueTransitions(owner: me, now: holder.since).putBackFetches(of: resource, transaction)
            }
            // Registered before the commit, so that whoever sees the row also finds its owner.
            claimedWork.add(name, lease.token, isLease: true)
            taking(lease.token)
            return outcome
        }
    }

    /// Releases the lease; does nothing if it was lost meanwhile.
    package func releaseLease(_ lease: Lease) async throws(StoreError) {
        // Released or not: nobody works under it any more.
        defer { claimedWork.remove(lease.name, lease.token) }
        let me = try ownerID()
        let now = clock.now
        try await write { transaction in
            let isReleased = try LeasesTable.release(lease, owner: me, transaction)
            // Entries that are still claimed were not answered. Their sender lives, so this is not a crash.
            if isReleased, let resource = lease.resource {
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
        guard try LeasesTable.isHeld(lease, by: owner, transaction) else {
            throw StoreError(.leaseLost, "another run took over \(lease.name); nothing more was written by this one")
        }
    }

    func ownerID() throws(StoreError) -> String {
        do { return try owner.id() } catch { throw StoreError(mapping: error) }
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
            try LeasesTable.held(snapshot).map { held in
                LeaseReport(name: held.name, holder: try held.holder, isAlive: owner.isAlive(held.owner))
            }
        }
    }
}
