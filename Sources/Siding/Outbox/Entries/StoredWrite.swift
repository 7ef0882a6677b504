internal import HTTPTypes
internal import SidingChain
internal import SidingSQLite

/// The columns of a write that its entry does not have: the request, its key and its delivery probe.
struct StoredWrite {
    let headerFields: HTTPFields
    /// The accepted body, without the mark that a delivery probe looks for.
    let body: [UInt8]?
    let key: String
    let keyField: HTTPField.Name?
    let isKeyQuoted: Bool
    /// Whether the origin honours the key.
    let isKeyed: Bool
    let firstSentAt: Timestamp?
    let probe: WriteProbe?

    static let columns: SQL = "headers, body, key, key_field, key_quoted, keyed, first_sent_at, probe"
    /// The number of ``columns``; further columns of a query follow them.
    static let count = 8

    /// - Parameter first: the index of the first of ``columns`` in `row`.
    /// - Throws: ``StoreError/Kind/corrupt`` if the row cannot be sent.
    init(_ row: borrowing Row, from first: Int = 0) throws {
        headerFields = try WriteRows.fields(row.text(first))
        body = row.isNull(first + 1) ? nil : row.blob(first + 1)
        key = row.text(first + 2)
        keyField = row.optionalText(first + 3).flatMap { HTTPField.Name($0) }
        isKeyQuoted = row.int(first + 4) == 1
        isKeyed = row.int(first + 5) == 1
        firstSentAt = row.optionalInt(first + 6).map(Timestamp.init)
        probe = Store.decode(ProbeTerms.self, row.optionalText(first + 7))?.probe
    }

    /// The body that is sent.
    func outgoingBody(of entry: String) -> [UInt8]? { probe?.marked(body, entry: entry, key: key) ?? body }
}

extension QueueEntry {
    /// The method and URL to send to.
    ///
    /// - Throws: ``StoreError/Kind/corrupt`` if the entry cannot be sent.
    func target() throws -> (method: HTTPRequest.Method, url: HTTPURL) {
        guard let method = HTTPRequest.Method(method), let url = try? HTTPURL(url) else {
            throw StoreError(.corrupt, "queue entry \(id) has a method or URL that cannot be sent")
        }
        return (method, url)
    }
}
