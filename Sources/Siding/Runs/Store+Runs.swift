// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The beginning and the end of a run, with the upkeep of the file that each does.
extension Store {
    /// Adds a run, and marks the runs of dead processes as interrupted.
    package func beginRun(command: String) async throws(StoreError) -> RunID {
        let me = try ownerID()
        // Without it a run on a full disk may not be able to store that it failed.
        try? owner.reserveSpace(OwnerLock.reservedForRun)
        let dead = try await read { try RunsTable.owners($0) }.filter { !owner.isAlive($0) }
        let now = clock.now
        let run = try await write { transaction -> RunID in
            for owner in dead { try RunsTable.interrupt(owner, now: now, transaction) }
            try QueueTransitions(owner: me, now: now).parkExpired(transaction)
            return try RunsTable.begin(
                command, owner: me, revisions: ResourcesTable.revisions(transaction), now: now, transaction)
        }
        // An owner without a lock file counts as dead, so anything else that it owned can still be taken over.
        for owner in dead { self.owner.forget(owner) }
        return run
    }

    /// Stores the outcome of a run, and deletes what is older than ``keep`` allows.
    package func endRun(_ run: RunID, outcome: RunOutcome) async throws(StoreError) {
        let now = clock.now
        try await prune { transaction in
            try RunsTable.end(
                run, as: outcome, revisions: ResourcesTable.revisions(transaction), now: now, transaction)
            return try RunsTable.isFirstOfHour(run, at: now, transaction)
        }
    }
}
