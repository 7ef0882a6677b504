// SPDX-License-Identifier: Apache-2.0
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

    /// See ``Page/requestedAfter``.
    let requestedAfter: Int64
    /// The edits that were delivered a moment ago, by the key of their record.
    let delivered: [String: [String]]

    /// - Parameter requestedAfter: nil for what no page brings: nothing has overtaken that.
    static func load(
        of resource: String, requestedAfter: Int64?, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> OvertakenPage? {
        guard let requestedAfter else { return nil }
        return OvertakenPage(
            requestedAfter: requestedAfter,
            delivered: try OutboxEditsTable.delivered(
                to: resource, from: now + (.zero - longestLag), to: now, transaction))
    }

    /// - Parameters:
    ///   - body: what the page shows under `key`; nil if it marks the record as deleted.
    ///   - request: the one that the stored record came from.
    ///   - cause: of the stored record.
    func shows(
        _ body: UnsafeRawBufferPointer?, under key: UnsafeRawBufferPointer, before request: Int64?,
        _ cause: RecordCause, _ transaction: borrowing Transaction
    ) throws -> Bool {
        if cause == .write, let request, request > requestedAfter { return true }
        guard let body, !delivered.isEmpty, let edits = delivered[String(decoding: key, as: UTF8.self)] else {
            return false
        }
        for edit in edits {
            guard let replaced = try OutboxEditsTable.load(edit, transaction)?.base, !replaced.isEmpty else { continue }
            if replaced.withUnsafeBytes({ body.isSame(as: $0) }) { return true }
        }
        return false
    }
}
