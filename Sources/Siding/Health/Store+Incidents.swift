// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

extension Store {
    /// The lease under which incidents are compared and notified.
    package static let notificationsLease = "notifications"

    /// The incidents whose beginning or end is not notified everywhere, and those that last; the oldest first.
    package func incidents() async throws(StoreError) -> [Incident] {
        try await read { try IncidentsTable.all($0) }
    }

    /// Stores incidents that began or ended, and removes those that are over and notified.
    package func save(
        _ changed: [Incident], removing over: [Incident.Key] = [], under lease: Lease
    ) async throws(StoreError) {
        try await write(under: lease) { _, transaction in
            for incident in changed { try IncidentsTable.save(incident, transaction) }
            for key in over { try IncidentsTable.delete(key, transaction) }
        }
    }

    /// Stores that `hook` took the notifications of these incidents.
    package func add(
        notified hook: String, to incidents: [Incident.Key], under lease: Lease
    ) async throws(StoreError) {
        try await write(under: lease) { _, transaction in
            for key in incidents { try IncidentsTable.add(notified: hook, to: key, transaction) }
            try IncidentsTable.forgetFailedCalls(of: hook, transaction)
        }
    }

    /// Stores that a call of `hook` about these incidents failed, the `count`th in a row.
    package func add(
        failedCall count: Int, of hook: String, to incidents: [Incident.Key], under lease: Lease
    ) async throws(StoreError) {
        let now = clock.now
        try await write(under: lease) { _, transaction in
            for key in incidents {
                try IncidentsTable.add(failedCall: count, of: hook, to: key, at: now, transaction)
            }
        }
    }
}
