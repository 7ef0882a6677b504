// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingMigrations
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Opens the store at `path`.
    ///
    /// - Throws: ``StoreError`` that names the file and its fault: foreign, newer, damaged, unsafe, not accessible, on a
    ///   network file system.
    public static func open(
        at path: String, access: Access = .readWriteCreate, durability: Durability = .full, clock: WallClock = .system,
        jitter: Jitter = .random
    ) async throws(StoreError) -> Store {
        var configuration = DatabaseConfiguration()
        configuration.synchronous = durability == .full ? .full : .normal
        do {
            guard access == .readWriteCreate || exists(at: path) else {
                throw StoreError(.notFound, "there is no database at \(path) yet", hint: "'siding sync' makes it")
            }
            var applied: [String] = []
            var writer: Database?
            if access != .readOnly {
                let database = try await Database.open(at: path, configuration: configuration)
                applied = try await Migrator(migrations: SchemaMigrations.all).migrate(database).map(\.name)
                // TEMP triggers keep the history of records (``RecordsTable/makeHistoryTrigger(_:)``).
                try await database.equip([])
                writer = database
            }
            let reader = try await DatabaseReader.open(at: path, configuration: configuration)
            let areViewsOutdated = try await reader.read { snapshot in
                try SchemaGuard.checkTables(snapshot, path: path)
                return try !ResourcesTable.outdated(snapshot).isEmpty
            }
            if let writer, areViewsOutdated {
                try await writer.write { try DeclaredSchema.remakeOutdated($0) }
            }
            try await reader.read { try SchemaGuard.check($0, path: path) }
            return Store(
                writer: writer, reader: reader, owner: OwnerLock(directory: path + ".owners"),
                claimedWork: ClaimedWork(), memberSets: KnownMemberSets(), changeSignal: ChangeSignal(), clock: clock,
                jitter: jitter, appliedMigrations: applied)
        } catch {
            throw StoreError(mapping: error)
        }
    }
}
