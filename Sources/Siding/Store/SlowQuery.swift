internal import SidingJSON
internal import SidingSQLite

/// A query that ran out of time: what makes it faster.
struct SlowQuery {
    private let words: Set<Substring>

    init(_ sql: String) {
        words = Set(sql.lowercased()[...].split { !($0.isLetter || $0.isNumber || $0 == "_") })
    }

    /// Names the columns that the statement computes from the bodies of records, row by row; nil where there are none.
    func hint(_ database: borrowing some Queryable & ~Copyable) throws -> String? {
        var hints: [String] = []
        for view in try ResourceView.all(database).sorted(by: { $0.name < $1.name }) where names(view.name) {
            let slow = view.computedColumns.filter(names).prefix(5).map { "'\(PlainText.oneLine($0, limit: 60))'" }
            guard !slow.isEmpty else { continue }
            let name = PlainText.oneLine(view.name, limit: 60)
            hints.append("declare \(slow.joined(separator: ", ")) under 'columns' of '\(name)'")
        }
        guard !hints.isEmpty else { return nil }
        return
            "each record is parsed for columns that are not declared: \(hints.joined(separator: "; ")), with 'index: true' for "
            + "those that are joined or searched by ('siding schema NAME --suggest' writes them)"
    }

    private func names(_ name: String) -> Bool { words.contains(name.lowercased()[...]) }
}
