internal import SidingSQLite

extension Store {
    /// Reads a resource as a whole, row by row, as of one moment; records in the order of their keys.
    ///
    /// It has a connection and a transaction of its own: memory does not grow with the number of records, and nobody who
    /// writes meanwhile is held up. Until it is done the WAL cannot be emptied.
    /// - Parameters:
    ///   - columns: told once the names of the columns; none for bodies.
    ///   - row: told each row.
    /// - Returns: where what changes from here on can be told from: the newest run that has ended; 0 where none ever did.
    /// - Throws: ``StoreError``, `cancelled` once its task is; or what the closures throw.
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
