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
