internal import SidingSQLite

extension StoreError {
    /// Maps an error of SQLite, or of a step inside a transaction, to a store error.
    init(mapping error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self = Self.mapped(error)
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: self.init(.inputOutput, String(describing: error))
        }
    }

    private static func mapped(_ error: SQLiteError) -> StoreError {
        let message = String(describing: error)
        switch error.kind {
        case .busy: return StoreError(.busy, message)
        case .full: return StoreError(.full, message)
        case .readOnly, .permission, .cannotOpen, .unsafeFile, .networkFileSystem:
            return StoreError(.inaccessible, message)
        case .corrupt: return StoreError(.corrupt, message)
        case .foreignFile(DatabaseConfiguration.unreleasedApplicationID):
            return StoreError(
                .foreign, "\(error.path) was written by an unreleased build of siding, and this one cannot read it",
                hint: "move it away and sync again; own writes that wait in it are sent by the build that wrote it")
        case .notADatabase, .foreignFile: return StoreError(.foreign, message)
        case .tooNewSchema: return StoreError(.newer, message)
        case .timeLimit: return StoreError(.timeLimit, message)
        case .cancelled, .interrupted: return StoreError(.cancelled, message)
        case .ioError, .constraint, .other: return StoreError(.inputOutput, message)
        }
    }
}
