// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// `/records/RESOURCE`: its records as a table of their first columns, or those that a search finds, best first.
struct ResourceScreen: Screen {
    static let template = "resource"
    private static let most = 50

    /// The head of a column, which sorts by it.
    struct Column: Sendable {
        let name: String
        let href: String
        /// `ascending` or `descending`, for those who do not see the arrow.
        let direction: String?
        let arrow: String?
    }

    struct Row: Sendable {
        let key: String
        let href: String?
        let cells: [Cell]
        /// The text around the matches of a search.
        let pieces: [Piece]
        let changed: Moment
        let pending: String?
    }

    struct Cell: Sendable {
        let text: String
    }

    struct Piece: Sendable {
        let text: String
        let isMatch: Bool
    }

    let title: String
    let command: String?
    let href: String
    /// Its runs.
    let runs: String
    var key: Column?
    var columns: [Column] = []
    var menus: [Menu] = []
    var value: String?
    /// The parameters that the form of the filter keeps.
    var kept: [Fact] = []
    let rows: [Row]
    let counts: String
    var words: String?
    var showsDeleted = false
    var isFiltered = false
    var remark: String?
    var first: String?
    var next: String?
    /// Where the form for a sync is sent; nil for a resource that the config lacks.
    let sync: String?
    let token: String

    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored of the resource, ``ServiceProblem`` for a parameter
    /// that means
    ///   nothing.
    static func load(
        _ resource: String, _ query: Parameters, _ served: ServedStore, formToken: String
    ) async throws -> ResourceScreen {
        let count = try await served.store.count(of: resource)
        let format = MessageFormat(now: served.now, isAbsolute: false)
        let sync =
            served.resources().contains { $0.name == resource } ? PageLink.path("records", resource, "sync") : nil
        if let words = try query.filled("q") {
            return try await found(words, count, format, sync, formToken, served.store)
        }
        let view = try RecordTable(query, of: resource, most: most)
        let found = try await served.store.rows(view.selection)
        let shown = found.rows.prefix(most)
        var screen = ResourceScreen(
            count, rows: shown.map { Row($0.record, format, cells: $0.values) },
            command: ShellCommand.text("records", "list", resource), sync: sync, token: formToken)
        screen.key = view.head(ColumnSelection.key, shownAs: "Key")
        screen.columns = found.columns.map { view.head($0) }
        screen.menus = view.menus(found.allColumns)
        (screen.value, screen.kept) = (view.value, view.kept)
        (screen.showsDeleted, screen.isFiltered) = (view.selection.isDeleted, view.selection.filter != nil)
        screen.remark = found.unindexed.map { column in
            "Only the first \(MessageFormat.grouped(ColumnSelection.mostExamined)) records were looked at, as "
                + "‘\(PlainText.oneLine(column, limit: 60))’ has no index: with ‘index: true’ for it under ‘columns’ all are."
        }
        screen.first = view.isFirst ? nil : view.first
        screen.next = found.rows.count > most ? view.next(after: shown.last?.record.key ?? "") : nil
        return screen
    }

    private static func found(
        _ words: String, _ count: RecordCount, _ format: MessageFormat, _ sync: String?, _ token: String, _ store: Store
    ) async throws -> ResourceScreen {
        let search = RecordSearch(resource: count.resource, text: .words(words), limit: most)
        let found = try await search.find(in: store)
        var screen = ResourceScreen(
            count, rows: found.hits.map { Row($0.match.record, format, pieces: $0.pieces) },
            command: ShellCommand.text("search", count.resource, words), sync: sync, token: token)
        screen.words = words
        screen.remark = found.hasMore ? "More records match; the best \(most) are shown." : found.remark(of: search)
        return screen
    }

    private init(_ count: RecordCount, rows: [Row], command: String?, sync: String?, token: String) {
        (title, href) = (count.resource, PageLink.path("records", count.resource))
        runs = PageLink.path("runs", query: [("resource", count.resource)])
        counts =
            MessageFormat.count(count.count, "record")
            + (count.deleted > 0 ? ", \(MessageFormat.grouped(count.deleted)) deleted" : "")
        (self.rows, self.command, self.sync, self.token) = (rows, command, sync, token)
    }
}

extension ResourceScreen.Row {
    /// What a cell shows of a text, on one line.
    private static let longestText = 80

    fileprivate init(
        _ record: Record, _ format: MessageFormat, cells: [String?] = [], pieces: [SearchHitText.Piece] = []
    ) {
        key = PlainText.oneLine(record.key, limit: 120)
        href = PageLink.record(record.key, of: record.resource)
        self.cells = cells.map {
            ResourceScreen.Cell(text: PlainText.oneLine($0 ?? "", limit: Self.longestText))
        }
        self.pieces = pieces.map {
            ResourceScreen.Piece(text: PlainText.oneLine($0.text, limit: 400), isMatch: $0.isMatch)
        }
        changed = Moment(record.deletedAt ?? record.changedAt, format)
        pending = record.pending > 0 ? MessageFormat.count(record.pending, "pending edit") : nil
    }
}
