// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPostgreSQL

extension HubTransfer {
    /// Deletes the station's records in the hub that its file does not have.
    mutating func compare(
        _ position: HubPosition, _ table: HubTable, _ report: inout HubReport
    ) async throws -> HubPosition {
        let station = PostgreSQLValue.text(publication.station)
        var (missing, living, last) = ([String](), 0, String?.none)
        while true {
            let page = try await connection.query(
                """
                SELECT siding_key FROM \(table.name) WHERE siding_station = $1 AND siding_deleted_at IS NULL
                    AND ($2::text IS NULL OR siding_key > $2) ORDER BY siding_key LIMIT \(publisher.page)
                """, [station, last.map { .text($0) } ?? .null])
            let keys = page.rows.compactMap { $0[0] }
            guard let end = keys.last else { break }
            last = end
            living += keys.count
            missing += try await store.missing(keys, in: table.resource)
        }
        let most = publisher.target.mostDeleted[table.resource] ?? Deletions.usualMost
        let isBlocked = DeletionGuard(listed: living - missing.count, most: most).blocks(missing.count)
        if isBlocked, !publisher.options.acceptsDeletes {
            throw HubError(
                .deletionGuard,
                "\(missing.count) of the hub's \(living) records of this station are not here, more than deletes.max allows",
                hint: "siding publish \(publisher.target.name) \(table.resource) --accept-deletes deletes them there")
        }
        var next = position
        next.isCompared = true
        let keys = missing
        let compared = try await exchange(position, for: next, of: table.resource) { transaction in
            guard !keys.isEmpty else { return }
            try transaction.query(
                """
                UPDATE \(table.name) SET siding_deleted_at = now() WHERE siding_station = $1 AND siding_key = ANY ($2::text[])
                """, [station, .texts(keys)])
        }
        report.deleted += missing.count
        return compared
    }
}
