// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// The table `siding_leases`, which has a row per lease that was ever taken. Whether an owner lives, its lock file says.
enum LeasesTable {
    /// A lease that is taken.
    struct Held {
        let name: String
        /// The process, by its ``OwnerLock``.
        let owner: String
        fileprivate let storedHolder: String

        /// Read only where it is shown: the lease of a dead owner can be taken even if this cannot be read.
        var holder: LeaseHolder {
            get throws(StoreError) {
                try Store.decode(LeaseHolder.self, storedHolder, as: "the holder of the lease '\(name)'")
            }
        }
    }

    /// The lease `name`; nil if it is free.
    static func held(_ name: String, _ database: borrowing some Queryable & ~Copyable) throws -> Held? {
        try database.first(
            "SELECT name, owner, holder FROM siding_leases WHERE name = ?1 AND owner IS NOT NULL", name, map: held)
    }

    /// The taken leases in the order of their names.
    static func held(_ database: borrowing some Queryable & ~Copyable) throws -> [Held] {
        try database.query(
            "SELECT name, owner, holder FROM siding_leases WHERE owner IS NOT NULL ORDER BY name", map: held)
    }

    private static func held(_ row: borrowing Row) throws -> Held {
        Held(name: try row.text("name"), owner: try row.text("owner"), storedHolder: try row.text("holder"))
    }

    /// Takes the lease if its owner is still `last`, or has released it; of several concurrent writers only the first succeeds.
    static func take(
        _ name: String, from last: String?, owner: String, holder: LeaseHolder, _ transaction: borrowing Transaction
    ) throws -> LeaseOutcome {
        try transaction.execute("INSERT INTO siding_leases (name, token) VALUES (?1, 0) ON CONFLICT DO NOTHING", name)
        let token = try transaction.first(
            """
            UPDATE siding_leases SET owner = ?2, holder = ?3, token = token + 1
            WHERE name = ?1 AND (owner IS NULL OR owner = ?4) RETURNING token
            """, name, owner, try Store.json(holder), last
        ) { $0.int(0) }
        if let token { return .acquired(Lease(name: name, token: token)) }
        return .held(by: try held(name, transaction)?.holder ?? holder)
    }

    /// - Returns: whether it was still held under this token.
    static func release(_ lease: Lease, owner: String, _ transaction: borrowing Transaction) throws -> Bool {
        let released = try transaction.execute(
            "UPDATE siding_leases SET owner = NULL, holder = NULL WHERE name = ?1 AND owner = ?2 AND token = ?3",
            lease.name, owner, lease.token)
        return released == 1
    }

    static func isHeld(
        _ lease: Lease, by owner: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM siding_leases WHERE name = ?1 AND owner = ?2 AND token = ?3", lease.name, owner, lease.token)
    }
}
