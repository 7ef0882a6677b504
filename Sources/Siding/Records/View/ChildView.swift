// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// The view of the elements of an array inside a resource's records.
struct ChildView {
    let table: RecordsTable
    let name: String
    let children: RecordChildren
    /// The inferred columns, used if none are declared.
    let columns: [ResourceView.Column]

    /// The member name that stands for elements that are not objects; a view cannot reach a member with an empty name.
    static let scalar = ""

    /// The statement that creates the view, over live records only.
    var creation: SQL { "CREATE VIEW \(identifier: name) AS \(selection())" }

    private func selection() -> SQL { "SELECT \(viewColumns.map(\.selected).joined) \(elements())" }

    /// What queries show of `records`, a selection like the table; nil for the table.
    func querySelection(from records: SQL? = nil) -> SQL {
        "SELECT \(viewColumns.map(\.queried).joined) \(elements(of: records))"
    }

    /// The FROM clause: the record as `r`, the element as `e`.
    func elements(of records: SQL? = nil) -> SQL {
        let path = SQL("\(literal: children.path.description)")
        return """
            FROM \(records ?? table.rows) AS r, json_each(r.body, \(path)) AS e \
            WHERE r.deleted_at IS NULL AND json_type(r.body, \(path)) = 'array'
            """
    }

    var removal: SQL { "DROP VIEW IF EXISTS \(identifier: name)" }

    /// The view's columns, in order.
    var viewColumns: [ViewColumn] {
        let key = children.key.map { [ViewColumn(OwnColumn.key.rawValue, .element($0), .text)] } ?? []
        return shown + key + [ViewColumn(.parent, "r.key"), ViewColumn(.position, "e.key")]
    }

    private var shown: [ViewColumn] {
        guard children.columns.isEmpty else {
            return children.columns.map { ViewColumn($0.name, .element($0.path), $0.type) }
        }
        return columns.map { column in
            guard column.member == Self.scalar else {
                return ViewColumn(column.name, .element(JSONPath(member: column.member)))
            }
            // An array has no members to show as columns; it is shown as JSON text.
            return ViewColumn(
                name: column.name, shown: "CASE e.type WHEN 'object' THEN NULL ELSE e.value END",
                exported: "CASE WHEN e.type <> 'object' THEN r.body -> e.fullkey END", isJSON: true, form: nil,
                kind: "e.type")
        }
    }
}
