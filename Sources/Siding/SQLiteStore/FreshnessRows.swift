internal import SidingSQLite

/// What is kept of how soon asking again is pointless.
enum FreshnessRows {
    /// With the end of a listing.
    static func set(
        _ freshness: ListingFreshness, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = ?2, not_before = ?3 WHERE id = ?1", resource,
            freshness.freshUntil?.microseconds, freshness.notBefore?.microseconds)
    }
}

extension ListingFreshness {
    /// Reads `fresh_until, not_before`, beginning at `column`.
    init(_ row: borrowing Row, at column: Int) {
        self.init(
            freshUntil: row.optionalInt(column).map(Timestamp.init),
            notBefore: row.optionalInt(column + 1).map(Timestamp.init))
    }
}
