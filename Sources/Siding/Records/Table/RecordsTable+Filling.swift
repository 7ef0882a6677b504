// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// One step over many stored rows, in a transaction of its own: others write in between, and a killed process loses one step.
package struct RowStep: Sendable, Hashable {
    /// Rows that this step wrote.
    package var rows: Int
    package var isDone: Bool

    static let nothing = RowStep(rows: 0, isDone: true)
}

extension RecordsTable {
    /// The row that ends a step of `count` rows from `row` on; nil for the last step.
    func end(ofStepFrom row: Int64, rows count: Int, _ transaction: borrowing Transaction) throws -> Int64? {
        let end = try transaction.first(
            "SELECT rowid FROM \(rows) WHERE rowid >= ?1 ORDER BY rowid LIMIT 1 OFFSET ?2", row, count - 1
        ) { $0.int(0) }
        return end == .max ? nil : end
    }

    /// Rewrites the next `count` rows as the config declares records now: without dropped members, and with the values of columns
    /// that are not filled yet. With the last row the view turns from the expressions over the body to the stored values.
    func rewrite(next count: Int, now: Timestamp, _ transaction: borrowing Transaction) throws -> RowStep {
        guard layout != nil, let from = row.rewriteFrom else { return .nothing }
        let end = try end(ofStepFrom: from, rows: count, transaction)
        var step = RowStep(rows: 0, isDone: end == nil)
        step.rows += try StoredRecordTransforms.drop(from: self, rows: from...(end ?? .max), now: now, transaction)
        let values = columns.filter { !$0.isFilled }
            .map { column -> SQL in "\(identifier: column.name) = \(column.value(of: "body"))" }
        if !values.isEmpty {
            step.rows = try transaction.execute(
                "UPDATE \(identifier: name) SET \(values.joined) WHERE rowid BETWEEN ?1 AND ?2", from, end ?? .max)
        }
        try ResourcesTable.set(rewriteFrom: end.map { $0 + 1 }, of: resource, transaction)
        if step.isDone {
            try StoredColumn.setFilled(resource, transaction)
            if !values.isEmpty { try ResourceView.remake(resourceName, transaction) }
        }
        return step
    }
}

extension Store {
    /// Runs `step` until it is done or the task is cancelled, each time with the number of rows that fit the time of a step.
    ///
    /// - Parameter progress: told the rows written so far, after each step.
    /// - Returns: how many rows were written.
    func inSteps(
        progress: (_ rows: Int) -> Void = { _ in },
        _ step: @escaping @Sendable (_ rows: Int, borrowing Transaction) throws -> RowStep
    ) async throws(StoreError) -> Int {
        var batches = Batches(self)
        var rows = 0
        while !Task.isCancelled {
            let done = try await batches.write(step)
            rows += done.rows
            progress(rows)
            if done.isDone { break }
        }
        return rows
    }

    /// Rewrites the records of a resource as the config declares them now, step by step: without members that are dropped since,
    /// and with the values of columns that were declared since.
    ///
    /// - Returns: how many rows were written; 0 where nothing was to be done.
    package func rewriteRecords(
        of resource: String, progress: (_ rows: Int) -> Void = { _ in }
    ) async throws(StoreError) -> Int {
        guard try await read(resource, { table, _ in table.row.rewriteFrom }) != nil else { return 0 }
        let now = clock.now
        return try await inSteps(progress: progress) { rows, transaction in
            try RecordsTable.load(named: resource, transaction)?.rewrite(next: rows, now: now, transaction) ?? .nothing
        }
    }
}
