// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPostgreSQL

extension HubPublisher {
    /// Compares these resources in the file and in the hub, one after the other, and writes nothing on either side.
    ///
    /// The file and the hub may change meanwhile.
    /// - Parameter report: is called as each is done.
    /// - Throws: ``HubError`` if nothing can be compared; the error of one resource is in its comparison.
    package func compare(
        _ resources: [String], report: @Sendable (HubComparison) -> Void
    ) async throws(HubError) {
        do {
            let publication = try await publication()
            let connection = try await PostgreSQLConnection.open(target.settings())
            for resource in resources {
                var comparison = HubComparison(resource)
                do { try await compare(&comparison, publication, connection) } catch {
                    let error = HubError(error)
                    comparison.error = error
                    report(comparison)
                    if error.concernsAll { throw error }
                    continue
                }
                report(comparison)
            }
            await connection.close()
        } catch {
            throw HubError(error)
        }
    }

    private func compare(
        _ comparison: inout HubComparison, _ publication: Publication, _ connection: PostgreSQLConnection
    ) async throws {
        let resource = comparison.resource
        guard let published = try await store.published(resource) else {
            comparison.omission = "nothing is stored here"
            return
        }
        let schema = HubSchema(connection: connection)
        let positions = HubPositions(schema: target.schema, station: target.station)
        let hub = try await schema.exists(positions.name) ? positions.load(resource, connection) : nil
        comparison.behind = try await store.countChanges(
            of: resource, after: hub?.revision ?? 0, number: hub?.number)
        let decision = HubDecision(
            hub: hub, file: publication.positions[resource], resource: published, adopts: false)
        if case .refuse(let why) = decision { throw foreign(why, resource) }
        guard let hub else {
            comparison.omission = "nothing is published yet"
            return
        }
        // Revisions of another resource mean nothing here.
        guard hub.number == published.number else {
            comparison.omission = "the resource was forgotten and made again; the next publication sends all records"
            return
        }
        let table = HubTable(schema: target.schema, resource: resource, columns: published.columns)
        let type = try await schema.types(of: table.name)["siding_body"]
        try await compareThere(&comparison, table, hub, hasText: type == "json", connection)
        try await findMissing(&comparison, table, hub, connection)
    }

    /// Compares each living record of the hub with the file's.
    ///
    /// - Parameter hasText: whether the hub has the exact text of the bodies; else revisions alone are compared, as for a body
    ///   that the hub cannot hold.
    private func compareThere(
        _ comparison: inout HubComparison, _ table: HubTable, _ hub: HubPosition, hasText: Bool,
        _ connection: PostgreSQLConnection
    ) async throws {
        let digest = hasText ? "left(encode(sha256(convert_to(siding_body::text, 'UTF8')), 'hex'), 16)" : "NULL"
        var last: String?
        while true {
            let rows = try await connection.query(
                """
                SELECT siding_key, siding_revision, \(digest) FROM \(table.name) WHERE siding_station = $1
                    AND siding_deleted_at IS NULL AND ($2::text IS NULL OR siding_key > $2)
                ORDER BY siding_key LIMIT \(page)
                """, [.text(target.station), last.map { .text($0) } ?? .null])
            let keys = rows.rows.compactMap { $0[0] }
            guard let end = keys.last else { return }
            last = end
            guard let found = try await store.digests(of: keys, in: table.resource),
                found.resource.number == hub.number
            else { throw HubError(.unavailable, "the resource has changed meanwhile", hint: "compare again") }
            // A deletion that is no longer stored may be newer than the position.
            let isWhole = found.resource.forgotten <= hub.revision
            for (index, key) in keys.enumerated() {
                let revision = rows[index, 1].flatMap { Int64($0) }
                guard let record = found.records[index] else {
                    if isWhole, revision.map({ $0 <= hub.revision }) ?? true { comparison.surplus.add(key) }
                    continue
                }
                guard record.revision <= hub.revision else { continue }
                if !record.isLive {
                    comparison.surplus.add(key)
                } else if revision == record.revision, rows[index, 2].map({ $0 == record.body }) ?? true {
                    comparison.same += 1
                } else {
                    comparison.different.add(key)
                }
            }
        }
    }

    /// Looks in the hub for each living record of the file. The sides order keys in ways of their own, so one pass cannot do both.
    private func findMissing(
        _ comparison: inout HubComparison, _ table: HubTable, _ hub: HubPosition, _ connection: PostgreSQLConnection
    ) async throws {
        var last: String?
        while true {
            let keys = try await store.keys(
                of: table.resource, unchangedAfter: hub.revision, behind: last, limit: page)
            guard let end = keys.last else { return }
            last = end
            let found = try await connection.query(
                """
                SELECT siding_key FROM \(table.name) WHERE siding_station = $1 AND siding_deleted_at IS NULL
                    AND siding_key = ANY ($2::text[])
                """, [.text(target.station), .texts(keys.filter { HubTable.holds(key: $0) })])
            let there = Set(found.rows.compactMap { $0[0] })
            for key in keys where HubTable.holds(key: key) && !there.contains(key) { comparison.missing.add(key) }
        }
    }
}
