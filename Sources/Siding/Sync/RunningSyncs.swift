// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingChain
internal import SidingSynchronization

/// The syncs of this process on one file that are under way, by resource: a second one of the same resource joins the first, or
/// waits for its end. Other processes, which cannot join, meet the lease.
///
/// A sync belongs to the task that began it, and is cancelled with it. Those who joined it then go on by themselves: one of them
/// begins a sync, which continues where that one stopped, and the others join this one.
final class RunningSyncs: Sendable {
    /// What two syncs need to have in common to end alike.
    private struct Terms: Hashable {
        let definition: ResourceDefinition
        let options: SyncOptions
        let deletions: Deletions
        /// The declarations that it was made by: others may have another secret, or other columns.
        let declarations: ObjectIdentifier

        init(_ resource: AnyResource, _ options: SyncOptions, _ declarations: ChangeSignal) {
            (definition, deletions) = (ResourceDefinition(resource), resource.deletions)
            self.declarations = ObjectIdentifier(declarations)
            var options = options
            // How long a sync would have waited to begin says nothing about what it does.
            options.lockWait = .zero
            self.options = options
        }
    }

    private final class Running: Sendable {
        let terms: Terms
        let since: Timestamp
        let ended = ChangeSignal()
        /// Nil until it has ended, and where it is no answer for those who joined: its own caller cancelled it, or it sent no
        /// request. Each of them may wait longer for another process, or pass a gate that the service leaves closed.
        let result = Mutex<Result<SyncReport, StoreError>?>(nil)

        init(_ terms: Terms, since: Timestamp) {
            (self.terms, self.since) = (terms, since)
        }
    }

    private let running = Mutex<[String: Running]>([:])

    private struct FileID: Hashable {
        let device: dev_t
        let node: ino_t
    }

    private struct Shared {
        weak var syncs: RunningSyncs?
    }

    private static let shared = Mutex<[FileID: Shared]>([:])

    /// Those of all ``Siding`` values on the file at `path`.
    static func onFile(at path: String) -> RunningSyncs {
        var status = stat()
        guard stat(path, &status) == 0 else { return RunningSyncs() }
        let id = FileID(device: status.st_dev, node: status.st_ino)
        return shared.withLock { shared in
            if let syncs = shared[id]?.syncs { return syncs }
            let syncs = RunningSyncs()
            shared = shared.filter { $0.value.syncs != nil }
            shared[id] = Shared(syncs: syncs)
            return syncs
        }
    }

    /// The number of calls that wait for a sync of this resource to end.
    func waiting(for resource: String) -> Int { running.withLock { $0[resource] }?.ended.waiters ?? 0 }

    /// Syncs by `body`. While another sync of the resource is under way, it waits for the end of that one; with the same options
    /// and declarations it returns the same result.
    ///
    /// - Parameter declarations: fires when others take their place.
    func sync(
        _ resource: AnyResource, _ options: SyncOptions, by declarations: ChangeSignal, at now: Timestamp,
        _ body: () async throws(StoreError) -> SyncReport
    ) async throws(StoreError) -> SyncReport {
        let own = Running(Terms(resource, options, declarations), since: now)
        while let other = begin(own, of: resource.name) {
            await other.ended.wait(past: 0)
            guard !Task.isCancelled else {
                return SyncReport(resource.name).failed(Failure(.cancelled, phase: .notSent, detail: "before it began"))
            }
            if own.terms == other.terms, let result = other.result.withLock({ $0 }) { return try result.get() }
        }
        return try await lead(own, of: resource.name, body)
    }

    /// Syncs by `body`, unless a sync of the resource is under way: then `held` gets the moment at which that one began.
    func syncIfFree(
        _ resource: AnyResource, _ options: SyncOptions, by declarations: ChangeSignal, at now: Timestamp,
        _ body: () async throws(StoreError) -> SyncReport, ifHeld held: (Timestamp) -> SyncReport
    ) async throws(StoreError) -> SyncReport {
        let own = Running(Terms(resource, options, declarations), since: now)
        if let other = begin(own, of: resource.name) { return held(other.since) }
        return try await lead(own, of: resource.name, body)
    }

    /// Registers `own`; returns the one that is under way if there is one.
    private func begin(_ own: Running, of resource: String) -> Running? {
        running.withLock { running in
            if let other = running[resource] { return other }
            running[resource] = own
            return nil
        }
    }

    private func lead(
        _ own: Running, of resource: String, _ body: () async throws(StoreError) -> SyncReport
    ) async throws(StoreError) -> SyncReport {
        let result: Result<SyncReport, StoreError>
        do throws(StoreError) { result = .success(try await body()) } catch { result = .failure(error) }
        let isIdle = (try? result.get()).map { $0.heldBy != nil || $0.closedGate != nil } ?? false
        if !Task.isCancelled, !isIdle { own.result.withLock { $0 = result } }
        running.withLock { $0[resource] = nil }
        own.ended.fire()
        return try result.get()
    }
}
