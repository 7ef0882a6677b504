internal import SidingJSON
internal import SidingSQLite

/// The view over the elements of an array inside the records of a resource.
struct ChildView {
    let resource: Int64
    let name: String
    let children: RecordChildren
    /// As the elements have them; shown where none are declared.
    let columns: [ResourceView.Column]

    /// Stands for elements that are no objects in the place of a member: a view cannot reach a member without a name.
    static let scalar = ""

    /// Living records alone: the children of a tombstone are gone with it.
    var creation: SQL { "CREATE VIEW \(identifier: name) AS \(selection())" }

    /// What the view shows of `records`, a table or a selection like it.
    func selection(from records: SQL = "siding_records") -> SQL {
        "SELECT \((shown + ownColumns).joined) \(elements(of: records))"
    }

    /// Where its rows come from: the record as `r`, the element as `e`.
    func elements(of records: SQL = "siding_records") -> SQL {
        let path = SQL("\(literal: children.path.description)")
        return """
            FROM \(records) AS r, json_each(r.body, \(path)) AS e \
            WHERE r.resource = \(integer: resource) AND r.deleted_at IS NULL AND json_type(r.body, \(path)) = 'array'
            """
    }

    var removal: SQL { "DROP VIEW IF EXISTS \(identifier: name)" }

    private var shown: [SQL] {
        guard children.columns.isEmpty else {
            return children.columns.map { column in
                "\(ColumnExpression.element(column.path).sql(column.type)) AS \(identifier: column.name)"
            }
        }
        return columns.map { column in
            guard column.member != Self.scalar else { return "e.atom AS \(identifier: column.name)" }
            let member = ColumnExpression.element(JSONPath(member: column.member))
            return "\(member.value) AS \(identifier: column.name)"
        }
    }

    private var ownColumns: [SQL] {
        let key = children.key.map { key -> SQL in
            "\(ColumnExpression.element(key).sql(.text)) AS \(identifier: OwnColumn.key.rawValue)"
        }
        return (key.map { [$0] } ?? []) + [
            "r.key AS \(identifier: OwnColumn.parent.rawValue)",
            "e.key AS \(identifier: OwnColumn.position.rawValue)",
        ]
    }
}
