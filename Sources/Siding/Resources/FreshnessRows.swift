internal import SidingChain
internal import SidingSQLite

/// What is kept of how soon asking again is pointless.
enum FreshnessRows {
    /// With the end of a listing.
    static func set(
        _ freshness: ListingFreshness, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = ?2, not_before = ?3, asks_anew = 0 WHERE id = ?1", resource,
            freshness.freshUntil?.microseconds, freshness.notBefore?.microseconds)
    }

    /// What is stored counts as old, however young it is: a person wants another beginning.
    static func askAnew(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = NULL, not_before = NULL, asks_anew = 1 WHERE id = ?1", resource)
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
