// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingPostgreSQL

/// Brings the resources of a file to a hub over one connection.
struct HubTransfer: ~Copyable {
    private let publisher: HubPublisher
    private var connection: PostgreSQLConnection
    private let positions: HubPositions
    private(set) var publication: Publication
    /// Of the resource that is being published.
    private var columns = ""

    init(
        publisher: HubPublisher, _ connection: PostgreSQLConnection, _ positions: HubPositions,
        _ publication: Publication
    ) {
        (self.publisher, self.connection) = (publisher, connection)
        (self.positions, self.publication) = (positions, publication)
    }

    private var store: Store { publisher.store }

    mutating func publish(_ resource: String, _ report: inout HubReport) async throws {
        guard let published = try await store.published(resource) else { return }
        columns = published.columnsDigest
        let hub = try await positions.load(resource, connection)
        let decision = HubDecision(
            hub: hub, file: publication.positions[resource], resource: published, adopts: publisher.terms.adopts)
        var position: HubPosition?
        switch decision {
        case .refuse(let why):
            throw HubError(
                .foreign, "\(resource): \(why)",
                hint:
                    "if this file is station '\(publication.station)' from now on: siding publish \(publisher.target.name) "
                    + "\(resource) --adopt sends everything again, and deletes there what is not here")
        case .proceed(let found): position = found
        case .compare(let found, let why):
            report.comparison = why
            position = found
        }
        let isNew = position.map { $0.revision < published.revision || !$0.isCompared } ?? true
        guard isNew || report.comparison != nil else { return try await remember(position, of: resource) }
        let table = HubTable(schema: publisher.target.schema, resource: resource, columns: published.columns)
        try await HubSchema(connection: connection).prepare(table)
        if published.hasRecords { try await store.indexChanges(of: resource) }
        if report.comparison != nil {
            let begin = HubPosition(revision: 0, mark: "", number: published.number, isCompared: false)
            position = try await exchange(position, for: begin, of: resource) { _ in }
        }
        position = try await sendChanges(from: position, table, &report)
        if let found = position, !found.isCompared { position = try await compare(found, table, &report) }
        try await remember(position, of: resource)
    }

    /// Sends the changes behind the position, a batch at a time.
    private mutating func sendChanges(
        from start: HubPosition?, _ table: HubTable, _ report: inout HubReport
    ) async throws -> HubPosition? {
        var position = start
        while true {
            let (from, most) = (position?.revision ?? 0, publisher.most)
            guard
                let changes = try await store.changes(
                    of: table.resource, after: from, rows: most.rows, bytes: most.bytes),
                changes.revision > from
            else { return position }
            let number = changes.resource.number
            guard number == position?.number ?? number, changes.resource.columns == table.columns else {
                throw HubError(
                    .unavailable, "its config has changed meanwhile", hint: "publish again")
            }
            let rows = HubRows(changes.rows, table)
            let next = HubPosition(
                revision: changes.revision, mark: "", number: number, isCompared: position?.isCompared ?? true)
            let upsert = table.upsert
            let values = [PostgreSQLValue.text(publication.station)] + rows.arrays.map { PostgreSQLValue.texts($0) }
            let isEmpty = rows.arrays[0].isEmpty
            position = try await exchange(position, for: next, of: table.resource) {
                transaction throws(PostgreSQLError) in
                if !isEmpty { try transaction.query(upsert, values) }
            }
            report.rows += changes.rows.count
            report.misfits.merge(rows.misfits, uniquingKeysWith: +)
        }
    }

    /// Deletes the station's records in the hub that its file does not have.
    private mutating func compare(
        _ position: HubPosition, _ table: HubTable, _ report: inout HubReport
    ) async throws -> HubPosition {
        let station = PostgreSQLValue.text(publication.station)
        var (missing, living, last) = ([String](), 0, String?.none)
        while true {
            let page = try await connection.query(
                """
                SELECT siding_key FROM \(table.name) WHERE siding_station = $1 AND siding_deleted_at IS NULL
                    AND ($2::text IS NULL OR siding_key > $2) ORDER BY siding_key LIMIT 10000
                """, [station, last.map { .text($0) } ?? .null])
            let keys = page.rows.compactMap { $0[0] }
            guard let end = keys.last else { break }
            last = end
            living += keys.count
            missing += try await store.missing(keys, in: table.resource)
        }
        let allowed = max(min(10, living / 2), living / 10)
        if missing.count > allowed, !publisher.terms.acceptsDeletes {
            throw HubError(
                .deletionGuard,
                "the hub has \(missing.count) of \(living) records of this station that are not here; at most "
                    + "\(allowed) are deleted at once",
                hint: "siding publish \(publisher.target.name) \(table.resource) --accept-deletes deletes them there")
        }
        var next = position
        next.isCompared = true
        let keys = missing
        let compared = try await exchange(position, for: next, of: table.resource) {
            transaction throws(PostgreSQLError) in
            guard !keys.isEmpty else { return }
            try transaction.query(
                """
                UPDATE \(table.name) SET siding_deleted_at = now() WHERE siding_station = $1 AND siding_key = ANY ($2::text[])
                """, [station, .texts(keys)])
        }
        report.deleted += missing.count
        return compared
    }

    // MARK: Transactions

    /// Runs a transaction that exchanges the position. The file has the new mark first.
    ///
    /// - Returns: the position that the hub has now.
    /// - Throws: ``HubError``, `foreign` if somebody else has exchanged the position meanwhile.
    private mutating func exchange(
        _ old: HubPosition?, for wanted: HubPosition, of resource: String,
        _ body: @Sendable (borrowing PostgreSQLTransaction) throws(PostgreSQLError) -> Void
    ) async throws -> HubPosition {
        var new = wanted
        new.mark = Self.mark()
        try await announce(new.mark, after: old, of: resource)
        do {
            let isOurs = try await connection.transaction { [positions, new] transaction in
                guard try positions.exchange(old, for: new, of: resource, transaction) else { return false }
                try body(transaction)
                return true
            }
            guard isOurs else {
                throw HubError(
                    .foreign, "another file publishes as station '\(publication.station)' at this moment",
                    hint: "each station has one file; give the other one a 'station:' of its own")
            }
        } catch let error as PostgreSQLError where error.isCommitInDoubt {
            // Sent again it could be there twice; the hub's mark tells.
            connection = try await PostgreSQLConnection.open(publisher.settings())
            guard try await positions.load(resource, connection) == new else { throw HubError(error) }
        }
        note(new, of: resource)
        return new
    }

    private static func mark() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Keeps the mark of the next transaction, beside the one that the hub has now.
    private mutating func announce(_ mark: String, after old: HubPosition?, of resource: String) async throws {
        var position = publication.positions[resource] ?? Publication.Position()
        (position.mark, position.next) = (old?.mark, mark)
        publication.positions[resource] = position
        try await store.save(publication, to: publisher.target.name)
    }

    /// Notes what the hub has. The next announcement brings it to the file, or ``remember(_:of:)``.
    private mutating func note(_ hub: HubPosition, of resource: String) {
        var position = Publication.Position()
        (position.mark, position.revision, position.number) = (hub.mark, hub.revision, hub.number)
        (position.columns, position.publishedAt) = (columns, store.clock.now.microseconds)
        publication.positions[resource] = position
    }

    /// Keeps what the hub has, if the file does not know it yet.
    private mutating func remember(_ hub: HubPosition?, of resource: String) async throws {
        guard let hub else { return }
        let known = try await store.publication(to: publisher.target.name)?.positions[resource]
        guard known?.mark != hub.mark || known?.revision != hub.revision else { return }
        note(hub, of: resource)
        try await store.save(publication, to: publisher.target.name)
    }
}

extension PublishedResource {
    /// Changes with the names, the paths and the types of the declared columns.
    var columnsDigest: String {
        SHA256.hexadecimal(columns.map { "\($0.name) \($0.path) \($0.type)" }.joined(separator: "\n"))
    }
}
