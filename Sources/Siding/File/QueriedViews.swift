// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// The views that a statement of the user names, and what their columns stand for.
struct QueriedViews {
    private struct Queried {
        let columns: [ViewColumn]
        /// What queries see in place of the file's view.
        let selection: SQL
        /// A few of its records or elements, to look at the types of their values.
        let sample: SQL
    }

    private var views: [String: Queried] = [:]

    /// - Parameter past: the views of a query of the past, whose records are looked at then.
    init(in sql: String, past: PastViews? = nil, _ database: borrowing some Queryable & ~Copyable) throws {
        let text = sql.lowercased()
        for view in try ResourceView.all(database) where text.contains(view.name.lowercased()) {
            let records = past.map { Self.sample(ofPast: $0.records(of: view.table)) } ?? Self.sample(of: view.table)
            views[view.name] = Queried(
                columns: view.viewColumns, selection: view.querySelection, sample: "FROM \(records)")
            for child in view.children where text.contains(child.name.lowercased()) {
                views[child.name] = Queried(
                    columns: child.viewColumns, selection: child.querySelection(),
                    sample: child.elements(of: records))
            }
        }
    }

    /// The first and the last thousand records, so that the columns of most resources are looked at whole.
    private static func sample(of table: RecordsTable) -> SQL {
        let ends = ["ASC", "DESC"].map { (order: SQL) -> SQL in
            """
            SELECT * FROM (SELECT body, deleted_at FROM \(table.rows) WHERE deleted_at IS NULL \
            ORDER BY rowid \(order) LIMIT 1000)
            """
        }
        return "(\(ends[0]) UNION ALL \(ends[1]))"
    }

    private static func sample(ofPast records: SQL) -> SQL {
        "(SELECT body, deleted_at FROM (\(records)) LIMIT 2000)"
    }

    /// What the columns of a statement's result stand for; of those of a UNION nothing is known, as each part may show another
    /// column.
    func origins(of sql: String, by inspection: Inspection) async -> [ColumnOrigin?] {
        let words = sql.lowercased().split { !$0.isLetter }
        guard !views.isEmpty, !words.contains("union") else { return [] }
        return await inspection.origins(
            of: SQL(verbatim: sql), in: views.mapValues { $0.columns.map(\.name) })
    }

    /// The views that an inspection uses in place of those of the file: those with decimals.
    var replacement: Inspection.ViewReplacement? {
        let decimal = views.filter { $0.value.columns.contains(where: \.isDecimal) }
        guard !decimal.isEmpty else { return nil }
        return Inspection.ViewReplacement(views: decimal.mapValues(\.selection), readers: [], hidden: [])
    }

    /// What the columns of a result stand for, by the columns of views that they show. A column without a type has the JSON types
    /// that its values have in the sample.
    func forms(
        of origins: [ColumnOrigin?], _ database: borrowing some Queryable & ~Copyable
    ) throws -> [ValueForm] {
        var forms = [ValueForm](repeating: [], count: origins.count)
        var unknown: [String: [Int]] = [:]
        for (index, origin) in origins.enumerated() {
            guard let origin, let column = views[origin.view]?.columns[origin.column] else { continue }
            forms[index] = column.form ?? []
            if column.form == nil { unknown[origin.view, default: []].append(index) }
        }
        for (name, places) in unknown {
            guard let view = views[name] else { continue }
            let kinds = places.map { place -> SQL in
                let kind = origins[place].flatMap { view.columns[$0.column].kind } ?? "NULL"
                return "group_concat(DISTINCT \(kind))"
            }
            let found = try database.first("SELECT \(kinds.joined) \(view.sample)") { row in
                places.indices.map { FieldKinds(jsonTypes: row.optionalText($0) ?? "") }
            }
            for (place, kinds) in zip(places, found ?? []) { forms[place] = ValueForm(kinds) }
        }
        return forms
    }
}

extension FieldKinds {
    /// - Parameter jsonTypes: names of json_type(), separated by commas.
    fileprivate init(jsonTypes: String) {
        self = []
        for name in jsonTypes.split(separator: ",") {
            switch name {
            case "text": insert(.string)
            case "integer", "real": insert(.number)
            case "true", "false": insert(.boolean)
            case "object": insert(.object)
            case "array": insert(.array)
            default: break
            }
        }
    }
}
