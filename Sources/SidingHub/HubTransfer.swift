// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingPostgreSQL

/// Brings the resources of a file to a hub over one connection.
struct HubTransfer: ~Copyable {
    let publisher: HubPublisher
    private(set) var connection: PostgreSQLConnection
    private let positions: HubPositions
    private(set) var publication: Publication
    /// What the file has of it.
    private var saved: Publication
    /// Of the resource that is being published.
    private var columns = ""

    init(
        publisher: HubPublisher, _ connection: PostgreSQLConnection, _ positions: HubPositions,
        _ publication: Publication
    ) {
        (self.publisher, self.connection) = (publisher, connection)
        (self.positions, self.publication, saved) = (positions, publication, publication)
    }

    var store: Store { publisher.store }

    mutating func publish(_ resource: String, _ report: inout HubReport) async throws {
        guard let published = try await store.published(resource) else { return }
        columns = published.columnsDigest
        let hub = try await positions.load(resource, connection)
        let decision = HubDecision(
            hub: hub, file: publication.positions[resource], resource: published, adopts: publisher.options.adopts)
        var position: HubPosition?
        switch decision {
        case .refuse(let why): throw publisher.foreign(why, resource)
        case .proceed(let found): position = found
        case .compare(let found, _, let why):
            report.comparison = why
            position = found
        }
        let isNew = position.map { $0.revision < published.revision || !$0.isCompared } ?? true
        guard isNew || report.comparison != nil else { return try await remember(position, of: resource) }
        var table = HubTable(schema: publisher.target.schema, resource: resource, columns: published.columns)
        try await HubSchema(connection: connection).prepare(&table)
        if published.hasRecords { try await store.indexChanges(of: resource) }
        if case .compare(_, let sendsAll, _) = decision {
            let begin = HubPosition(
                revision: sendsAll ? 0 : position?.revision ?? 0, mark: "", number: published.number, isCompared: false)
            position = try await exchange(position, for: begin, of: resource) { _ in }
        }
        position = try await sendChanges(from: position, table, &report)
        // What an incomplete listing lacks may be at the origin all the same.
        if let found = position, !found.isCompared, published.isListed {
            position = try await compare(found, table, &report)
        }
        try await remember(position, of: resource)
    }

    /// Sends the changes behind the position, a batch at a time: a small one first, as nothing is known of the line.
    private mutating func sendChanges(
        from start: HubPosition?, _ table: HubTable, _ report: inout HubReport
    ) async throws -> HubPosition? {
        var (position, bytes) = (start, publisher.most.bytes / 32)
        var place = PublishedRows.Place(revision: start?.revision ?? 0)
        // Without a position the hub has no record of the station, and COPY costs it less than an upsert.
        var copies = start == nil
        while true {
            guard
                let changes = try await store.changes(
                    of: table.resource, behind: place, rows: publisher.most.rows, bytes: bytes),
                changes.end != place
            else { return position }
            let resource = changes.resource
            guard resource.number == position?.number ?? resource.number, resource.columns == table.columns else {
                throw HubError(.unavailable, "the resource has changed meanwhile", hint: "publish again")
            }
            let rows = HubRows(changes.rows, table)
            // Tombstones that were removed since the last batch are unknown.
            let isWhole = position.map { $0.isCompared && resource.forgotten <= max($0.revision, start?.revision ?? 0) }
            let next = HubPosition(
                revision: changes.end.revision, mark: "", number: resource.number, isCompared: isWhole ?? true)
            let (station, isCopy) = (publication.station, copies)
            let begun = ContinuousClock.now
            do {
                position = try await exchange(position, for: next, of: table.resource, sending: rows.size) {
                    transaction in
                    try rows.write(to: table, of: station, isCopy: isCopy, transaction)
                }
            } catch let error as PostgreSQLError where copies && ["23505", "0A000"].contains(error.sqlState) {
                // A record of an earlier batch has changed meanwhile, rows of the station were left there, or the server does not
                // copy into such a table: one with row-level security.
                copies = false
                continue
            }
            if .now - begun < Self.quick { bytes = min(bytes * 2, publisher.most.bytes) }
            place = changes.end
            report.rows += changes.rows.count
            report.misfits.merge(rows.misfits, uniquingKeysWith: +)
        }
    }

    /// After a transaction that took no longer the next one has twice as much.
    private static let quick = Duration.seconds(5)

    // MARK: Transactions

    /// Runs a transaction that exchanges the position. The file has the new mark first.
    ///
    /// - Returns: the position that the hub has now.
    /// - Throws: ``HubError``, `foreign` if somebody else has exchanged the position meanwhile.
    mutating func exchange(
        _ old: HubPosition?, for wanted: HubPosition, of resource: String, sending bytes: Int = 0,
        _ body: @Sendable (borrowing PostgreSQLTransaction) throws -> Void
    ) async throws -> HubPosition {
        var new = wanted
        new.mark = Self.mark()
        try await announce(new.mark, after: old, of: resource)
        do {
            let isOurs = try await connection.transaction(sending: bytes) { [positions, new] transaction in
                guard try positions.exchange(old, for: new, of: resource, transaction) else { return false }
                try body(transaction)
                return true
            }
            guard isOurs else { throw try await lost(resource) }
        } catch let error as PostgreSQLError where error.isCommitInDoubt {
            // Sent again it could be there twice; the hub's mark tells.
            connection = try await PostgreSQLConnection.open(publisher.target.settings())
            guard try await positions.load(resource, connection) == new else { throw HubError(error) }
        }
        note(new, of: resource)
        return new
    }

    /// Why the hub has another position than it had a moment ago.
    private func lost(_ resource: String) async throws -> HubError {
        let found = try await positions.load(resource, connection)?.mark
        if let found, publication.positions[resource]?.marks.contains(found) ?? false {
            return HubError(
                .unavailable, "a transaction of an earlier publication was committed only now", hint: "publish again")
        }
        return HubError(
            .foreign, "another file publishes as station '\(publication.station)' at this moment",
            hint: "each station has one file; give the other one a 'station:' of its own")
    }

    private static func mark() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Keeps the mark of the next transaction, beside the one that the hub has now. The mark of another file is not ours before a
    /// transaction of ours has replaced it.
    private mutating func announce(_ mark: String, after old: HubPosition?, of resource: String) async throws {
        var position = publication.positions[resource] ?? Publication.Position()
        if let old, position.marks.contains(old.mark) { position.mark = old.mark }
        position.next = position.next.suffix(Self.mostUnseen - 1) + [mark]
        publication.positions[resource] = position
        try await save()
    }

    private mutating func save() async throws {
        try await store.save(publication, to: publisher.target.name)
        saved = publication
    }

    /// How many transactions may be in doubt at once.
    private static let mostUnseen = 100

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
        let known = saved.positions[resource]
        guard known?.mark != hub.mark || known?.revision != hub.revision else { return }
        note(hub, of: resource)
        try await save()
    }
}
