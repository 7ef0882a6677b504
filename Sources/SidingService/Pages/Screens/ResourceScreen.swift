internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// `/records/RESOURCE`: its records by key, or those that a search finds, best first.
struct ResourceScreen: Screen {
    static let template = "resource"
    private static let most = 50

    struct Row: Sendable {
        let key: String
        let href: String?
        /// The beginning of the record, or the text around the matches.
        let pieces: [Piece]
        let changed: Moment
        let pending: String?
    }

    struct Piece: Sendable {
        let text: String
        let isMatch: Bool
    }

    let title: String
    let href: String
    let rows: [Row]
    let counts: String
    let words: String?
    let showsDeleted: Bool
    let remark: String?
    let isFirst: Bool
    let next: String?

    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored of the resource.
    static func load(_ resource: String, _ query: Parameters, _ served: ServedStore) async throws -> ResourceScreen {
        let count = try await served.store.count(of: resource)
        let format = MessageFormat(now: served.now, isAbsolute: false)
        if let words = try query.filled("q") { return try await found(words, count, format, served.store) }
        let showsDeleted = try query.flag("deleted")
        let after = try query.filled("after")
        let records = try await served.store.records(
            of: resource, after: after, limit: most + 1, deleted: showsDeleted)
        let shown = records.prefix(most)
        let next = records.count > most ? shown.last?.key : nil
        return ResourceScreen(
            count, rows: shown.map { Row($0, format) }, showsDeleted: showsDeleted, isFirst: after == nil,
            next: next.map { key in
                PageLink.path(
                    "records", resource, query: [("deleted", showsDeleted ? "true" : nil), ("after", key)])
            })
    }

    private static func found(
        _ words: String, _ count: RecordCount, _ format: MessageFormat, _ store: Store
    ) async throws -> ResourceScreen {
        let search = RecordSearch(resource: count.resource, text: .words(words), limit: most)
        let found = try await search.find(in: store)
        let remark = found.hasMore ? "More records match; the best \(most) are shown." : found.remark(of: search)
        return ResourceScreen(
            count, rows: found.hits.map { Row($0.match.record, format, pieces: $0.pieces) }, words: words,
            remark: remark, isFirst: true)
    }

    private init(
        _ count: RecordCount, rows: [Row], words: String? = nil, showsDeleted: Bool = false, remark: String? = nil,
        isFirst: Bool, next: String? = nil
    ) {
        (title, href) = (count.resource, PageLink.path("records", count.resource))
        counts =
            MessageFormat.count(count.count, "record")
            + (count.deleted > 0 ? ", \(MessageFormat.grouped(count.deleted)) deleted" : "")
        self.rows = rows
        (self.words, self.showsDeleted) = (words, showsDeleted)
        (self.remark, self.isFirst, self.next) = (remark, isFirst, next)
    }
}

extension ResourceScreen.Row {
    private static let longestText = 240

    /// - Parameter pieces: nil shows the beginning of the record.
    fileprivate init(_ record: Record, _ format: MessageFormat, pieces: [SearchHitText.Piece]? = nil) {
        key = PlainText.oneLine(record.key, limit: 120)
        href = PageLink.record(record.key, of: record.resource)
        let beginning = [ResourceScreen.Piece(text: Self.beginning(of: record.body), isMatch: false)]
        self.pieces =
            pieces?.map { ResourceScreen.Piece(text: PlainText.oneLine($0.text, limit: 400), isMatch: $0.isMatch) }
            ?? beginning
        changed = Moment(record.deletedAt ?? record.changedAt, format)
        pending = record.pending > 0 ? MessageFormat.count(record.pending, "pending edit") : nil
    }

    private static func beginning(of body: [UInt8]) -> String {
        PlainText.oneLine(OneLineJSON.text(Array(body.prefix(longestText * 4))), limit: longestText)
    }
}
