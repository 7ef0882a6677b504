internal import SidingChain
internal import SidingSQLite

/// How far the values of newly declared columns are written into the rows that were there before.
package struct ColumnFill: Sendable, Hashable {
    /// Rows that this step wrote.
    package var rows: Int
    package var isDone: Bool
}

extension RecordsTable {
    /// Writes the values of columns that are still to be filled into the next `count` rows, and notes how far they are: a step
    /// of its own transaction each, so that others write in between and a killed process loses one step.
    ///
    /// With the last row the view turns from the expressions over the body to the stored values.
    func fill(next count: Int, _ transaction: borrowing Transaction) throws -> ColumnFill {
        let open = columns.filter { $0.fillFrom != nil }
        guard layout != nil, let from = open.compactMap(\.fillFrom).min() else {
            return ColumnFill(rows: 0, isDone: true)
        }
        let last = try transaction.first(
            "SELECT rowid FROM \(identifier: name) WHERE rowid >= ?1 ORDER BY rowid LIMIT 1 OFFSET ?2", from, count - 1
        ) { $0.int(0) }
        let values = open.map { column -> SQL in "\(identifier: column.name) = \(column.value(of: "body"))" }
        let rows = try transaction.execute(
            "UPDATE \(identifier: name) SET \(values.joined) WHERE rowid BETWEEN ?1 AND ?2", from, last ?? Int64.max)
        let isDone = last == nil || last == Int64.max
        try StoredColumn.setFilled(resource, from: isDone ? nil : last.map { $0 + 1 }, transaction)
        if isDone { try ResourceView.remake(resourceName, transaction) }
        return ColumnFill(rows: rows, isDone: isDone)
    }
}

extension Store {
    /// The most that one step may hold up other writers; half of what they are promised.
    private static let stepTime = Duration.milliseconds(50)

    /// Fills the columns of a resource that were declared when it had records already, step by step.
    ///
    /// - Parameter progress: told the rows written so far, after each step.
    /// - Returns: how many rows were written; 0 where nothing was to be filled.
    package func fillColumns(
        of resource: String, progress: (_ rows: Int) -> Void = { _ in }
    ) async throws(StoreError) -> Int {
        guard try await hasColumnsToFill(resource) else { return 0 }
        var (rows, size) = (0, 500)
        while !Task.isCancelled {
            let start = clock.now
            let step = try await fillNextColumns(of: resource, rows: size)
            rows += step.rows
            progress(rows)
            if step.isDone { break }
            let took = max(clock.now - start, .milliseconds(1))
            // At most twice as many as before: the first rows may be short ones.
            size = max(50, min(size * 2, Int(Double(size) * (Self.stepTime / took)), 50_000))
        }
        return rows
    }

    private func hasColumnsToFill(_ resource: String) async throws(StoreError) -> Bool {
        try await read { snapshot in
            guard let id = try Self.resourceRow(resource, snapshot)?.id else { return false }
            return try RecordsTable.load(id, snapshot).columns.contains { $0.fillFrom != nil }
        }
    }

    /// One step of ``fillColumns(of:progress:)``.
    package func fillNextColumns(of resource: String, rows: Int) async throws(StoreError) -> ColumnFill {
        try await write { transaction in
            guard let id = try Self.resourceRow(resource, transaction)?.id else {
                return ColumnFill(rows: 0, isDone: true)
            }
            return try RecordsTable.load(id, transaction).fill(next: rows, transaction)
        }
    }
}
