internal import SidingChain
internal import SidingSQLite

/// Tells a record that a page shows as it was before an own write.
///
/// Two pages do: one that was requested before the write was delivered, and one that a replica answered which lags behind
/// the write. The second shows byte for byte the record that the write replaced.
struct OvertakenPage {
    /// How long a replica may lag behind a delivered write. A record that somebody else sets back to exactly what it was
    /// shows that much later.
    static let longestLag = Duration.seconds(5 * 60)

    let resource: Int64
    /// See ``Page/requestedAfter``; nil for what no page brings: nothing has overtaken that.
    var requestedAfter: Int64?
    let now: Timestamp

    /// - Parameters:
    ///   - body: what the page shows; nil if it marks the record as deleted.
    ///   - request: the one that the stored record came from.
    ///   - cause: of the stored record.
    func shows(
        _ body: UnsafeRawBufferPointer?, before request: Int64?, _ cause: RecordCause,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        guard cause == .write, let requestedAfter, let request else { return false }
        if request > requestedAfter { return true }
        guard let body, let write = try ProvenanceTable.load(request, of: resource, transaction),
            now - write.at < Self.longestLag, let entry = write.entry,
            let replaced = try OutboxEditsTable.load(entry, transaction)?.base
        else { return false }
        return replaced.withUnsafeBytes { body.isSame(as: $0) }
    }
}
