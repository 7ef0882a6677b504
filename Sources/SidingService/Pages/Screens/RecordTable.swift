// SPDX-License-Identifier: Apache-2.0
internal import Siding

/// Which records `/records/RESOURCE` shows, in which order: the parameters of its address, and links that change them.
struct RecordTable: Sendable {
    let selection: ColumnSelection
    private let page: Int
    private let most: Int

    private enum Direction: String, CaseIterable {
        case ascending = "asc"
        case descending = "desc"
    }

    /// - Parameter most: the rows of a page; one more is selected, to know whether there is a next page.
    /// - Throws: ``ServiceProblem`` for a parameter that means nothing.
    init(_ query: Parameters, of resource: String, most: Int) throws {
        self.most = most
        let isDescending = try query.choice("order", of: Direction.self) == .descending
        let match = try query.choice("match", of: ColumnSelection.Match.self) ?? .equals
        let (column, value) = (try query.filled("column"), try query.filled("value"))
        let order = try query.filled("sort").map { ColumnSelection.Order($0, isDescending: isDescending) }
        let filter = column.flatMap { column in value.map { ColumnSelection.Condition(column, match, $0) } }
        page = Int(clamping: try query.number("page") ?? 1)
        let last = ColumnSelection.mostExamined / most
        guard (1...last).contains(page) else {
            throw ServiceProblem.usage(
                "'page' is a number from 1 to \(last)", hint: "a filter finds what is behind them")
        }
        selection = ColumnSelection(
            resource: resource, order: order, filter: filter, isDeleted: try query.flag("deleted"),
            after: try query.filled("after"), offset: (page - 1) * most, limit: most + 1)
    }

    var value: String? { selection.filter?.text }
    var isFirst: Bool { page == 1 && selection.after == nil }
    var first: String { link(order: selection.order) }

    /// Whether pages follow by keys, however many there are; others by their number.
    private var isByKey: Bool { selection.order == nil && selection.filter == nil }

    /// The next page; nil behind the last one that may be asked for.
    func next(after key: String) -> String? {
        if isByKey { return link(order: nil, more: [("after", key)]) }
        guard page < ColumnSelection.mostExamined / most else { return nil }
        return link(order: selection.order, more: [("page", String(page + 1))])
    }

    /// The head of a column. It sorts by the column, and the other way round once that is so.
    func head(_ column: String, shownAs name: String? = nil) -> ResourceScreen.Column {
        let order = selection.order ?? ColumnSelection.Order(ColumnSelection.key)
        let isSorted = order.column == column
        let isNextDescending = isSorted && !order.isDescending
        return ResourceScreen.Column(
            name: name ?? column, href: link(order: ColumnSelection.Order(column, isDescending: isNextDescending)),
            direction: isSorted ? (order.isDescending ? "descending" : "ascending") : nil,
            arrow: isSorted ? (order.isDescending ? "↓" : "↑") : nil)
    }

    func menus(_ columns: [String]) -> [Menu] {
        let match = selection.filter?.match == .contains ? ColumnSelection.Match.contains.rawValue : nil
        return [
            Menu("column", "Column", all: "all records", columns.map { ($0, $0) }, chosen: selection.filter?.column),
            Menu("match", "Value", all: "is", [(ColumnSelection.Match.contains.rawValue, "contains")], chosen: match),
        ]
    }

    /// What the form of the filter sends beside its fields.
    var kept: [Fact] {
        parameters(order: selection.order).compactMap { name, value in value.map { Fact(name, $0) } }
    }

    private func parameters(order: ColumnSelection.Order?) -> PageLink.Query {
        [
            ("sort", order?.column), ("order", order?.isDescending == true ? Direction.descending.rawValue : nil),
            ("deleted", selection.isDeleted ? "true" : nil),
        ]
    }

    private func link(order: ColumnSelection.Order?, more: PageLink.Query = []) -> String {
        let filter = selection.filter
        let match = filter?.match == .contains ? filter?.match.rawValue : nil
        return PageLink.path(
            "records", selection.resource,
            query: [("column", filter?.column), ("match", match), ("value", filter?.text)] + parameters(order: order)
                + more)
    }
}
