// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// The table `siding_sources`: the health of each source, shared by all processes.
enum SourcesTable {
    static func load(_ source: String, _ database: borrowing some Queryable & ~Copyable) throws -> SourceHealth {
        try database.first(
            """
            SELECT name, gate, gate_until, gate_note, failures, waits, refusal, refusals, concurrency_limit, last_sent_at
            FROM siding_sources WHERE name = ?1
            """, source
        ) { row in
            SourceHealth(
                source: source, gate: try gate(row), failures: Int(try row.int("failures")),
                waits: Int(try row.int("waits")), refusal: try row.optionalText("refusal"),
                refusals: Int(try row.int("refusals")),
                concurrencyLimit: try row.optionalInt("concurrency_limit").map(Int.init),
                lastSentAt: try row.time("last_sent_at"))
        } ?? SourceHealth(source: source)
    }

    private static func gate(_ row: borrowing Row) throws -> SourceGate? {
        guard let reason = try row.optionalText("gate").flatMap(SourceGate.Reason.init) else { return nil }
        return SourceGate(
            source: try row.text("name"), reason: reason, until: try row.optionalTime("gate_until"),
            note: try row.optionalText("gate_note") ?? "")
    }

    static func names(_ database: borrowing some Queryable & ~Copyable) throws -> [String] {
        try database.query("SELECT name FROM siding_sources") { $0.text(0) }
    }

    static func gates(_ database: borrowing some Queryable & ~Copyable) throws -> [SourceGate] {
        try database.query(
            "SELECT name, gate, gate_until, gate_note FROM siding_sources WHERE gate IS NOT NULL ORDER BY name",
            map: gate
        ).compactMap(\.self)
    }

    static func save(_ health: SourceHealth, _ now: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            """
            INSERT INTO siding_sources
                (name, gate, gate_until, gate_note, failures, concurrency_limit, last_sent_at, changed_at, waits, refusal,
                refusals)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
            ON CONFLICT (name) DO UPDATE SET gate = excluded.gate, gate_until = excluded.gate_until,
                gate_note = excluded.gate_note, failures = excluded.failures, waits = excluded.waits,
                refusal = excluded.refusal, refusals = excluded.refusals,
                concurrency_limit = excluded.concurrency_limit, last_sent_at = excluded.last_sent_at,
                changed_at = excluded.changed_at
            """, health.source, health.gate?.reason.rawValue, health.gate?.until?.microseconds, health.gate?.note,
            health.failures, health.concurrencyLimit, health.lastSentAt.microseconds, now.microseconds,
            health.waits, health.refusal, health.refusals)
    }

    /// Opens a closed gate, as an operator asks for it; see ``SourceHealth/openGate(now:)``.
    static func openGate(of source: String, at now: Timestamp, _ transaction: borrowing Transaction) throws {
        var health = try load(source, transaction)
        guard health.gate != nil else { return }
        health.openGate(now: now)
        try save(health, now, transaction)
    }
}

// MARK: Hubs

extension SourcesTable {
    static func publication(
        to target: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Publication? {
        let text = try database.first(
            "SELECT publication FROM siding_sources WHERE name = ?1", Publication.subject(ofTarget: target)
        ) { try $0.optionalText("publication") }
        return try text?.map { try Store.decode(Publication.self, $0, as: "what was published to '\(target)'") }
    }

    static func save(
        _ publication: Publication, to target: String, _ now: Timestamp, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            """
            INSERT INTO siding_sources (name, publication, changed_at) VALUES (?1, ?2, ?3)
            ON CONFLICT (name) DO UPDATE SET publication = excluded.publication, changed_at = excluded.changed_at
            """, Publication.subject(ofTarget: target), try Store.json(publication), now.microseconds)
    }
}

extension Store {
    package func gates() async throws(StoreError) -> [SourceGate] {
        try await read { try SourcesTable.gates($0) }
    }

    /// Opens the gate of a source, as an operator action.
    package func openGate(ofSource source: String) async throws(StoreError) {
        let now = clock.now
        try await write { try SourcesTable.openGate(of: source, at: now, $0) }
    }
}
