// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

extension Store {
    /// Reads rows that name the processes that work on them, and says which of these `owners` died.
    ///
    /// A process may end its work just before it ends itself, so the rows are read again once it is known to be dead.
    func read<Rows: Sendable>(
        _ rows: @Sendable (borrowing Snapshot) throws -> Rows, owners: (Rows) -> [String]
    ) async throws(StoreError) -> (rows: Rows, dead: Set<String>) {
        let found = try await read(rows)
        let dead = Set(owners(found)).filter { !owner.isAlive($0) }
        return (dead.isEmpty ? found : try await read(rows), dead)
    }
}
