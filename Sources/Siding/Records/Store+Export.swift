internal import SidingSQLite

extension Store {
    /// Streams a resource row by row, sorted by key, all as of one time.
    ///
    /// It uses its own connection and transaction: memory does not grow with the number of records, and writers are not blocked.
    /// Until it ends the WAL cannot be emptied.
    /// - Parameters:
    ///   - columns: called once with the column names; empty for bodies.
    ///   - row: called with each row.
    /// - Returns: the run from which later changes can be read: the newest one that has ended; 0 if there is none.
    /// - Throws: ``StoreError``, `cancelled` if the task is cancelled; or the errors of the closures.
    public func export(
        _ export: RecordExport, columns: @escaping @Sendable ([String]) throws -> Void = { _ in },
        row: @escaping @Sendable (ExportedRow) throws -> Void
    ) async throws -> RunID {
        do {
            let reader = try await DatabaseReader.open(at: path)
            return try await reader.read { snapshot in
                let plan = try ExportStatement.make(export, snapshot)
                var statement = try snapshot.prepare(plan.sql)
                try statement.bind(all: plan.arguments)
                try columns(plan.columns.map(\.name))
                while try statement.step() {
                    try Task.checkCancellation()
                    try row(plan.row(statement.row))
                }
                return try ChangeFeed.newestRun(for: plan.resourceID, snapshot)
            }
        } catch let error as SQLiteError {
            throw StoreError(mapping: error)
        } catch let error as CancellationError {
            throw StoreError(mapping: error)
        }
    }
}
