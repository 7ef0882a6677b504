// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// The table `siding_columns`: the inferred columns of views. `child` is the name of a child view, empty for the resource's own.
enum ColumnsTable {
    /// The columns of a resource's views, by `child`.
    static func load(
        of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [String: [ResourceView.Column]] {
        var columns: [String: [ResourceView.Column]] = [:]
        try database.forEach(
            "SELECT child, member, name FROM siding_columns WHERE resource = ?1 ORDER BY child, ordinal", resource
        ) { row in
            let child = try row.text("child")
            let column = ResourceView.Column(member: try row.text("member"), name: try row.text("name"))
            columns[child, default: []].append(column)
        }
        return columns
    }

    /// - Parameter count: how many columns the view has already.
    static func insert(
        _ columns: [ResourceView.Column], behind count: Int, of resource: Int64, child: String = "",
        _ transaction: borrowing Transaction
    ) throws {
        for (offset, column) in columns.enumerated() {
            try transaction.execute(
                "INSERT INTO siding_columns (resource, child, ordinal, member, name) VALUES (?1, ?2, ?3, ?4, ?5)",
                resource, child, count + offset, column.member, column.name)
        }
    }

    static func delete(_ resource: Int64, child: String, _ transaction: borrowing Transaction) throws {
        try transaction.execute("DELETE FROM siding_columns WHERE resource = ?1 AND child = ?2", resource, child)
    }
}
