internal import SidingChain
internal import SidingSQLite

/// The columns of `siding_resources` that say how long the resource stays fresh.
enum FreshnessRows {
    /// Stores the freshness at the end of a listing.
    static func set(
        _ freshness: ListingFreshness, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = ?2, not_before = ?3, asks_anew = 0 WHERE id = ?1", resource,
            freshness.freshUntil?.microseconds, freshness.notBefore?.microseconds)
    }

    /// Marks the stored records as stale, whatever their age, after an operator set the cursor.
    static func askAnew(_ resource: Int64, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_resources SET fresh_until = NULL, not_before = NULL, asks_anew = 1 WHERE id = ?1", resource)
    }
}

extension ListingFreshness {
    /// Reads `fresh_until, not_before`, starting at `column`.
    init(_ row: borrowing Row, at column: Int) {
        self.init(
            freshUntil: row.optionalInt(column).map(Timestamp.init),
            notBefore: row.optionalInt(column + 1).map(Timestamp.init))
    }
}
