// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite
internal import SidingSynchronization

/// Describes the database file, for `status`, `db` and `doctor`.
package struct DatabaseDescription: Sendable, Hashable {
    package var path: String
    /// Database and WAL together. Pages that are in the WAL alone until a checkpoint count for the database, too, as they do in
    /// ``StoreSizes``.
    package var bytes: Int
    /// Bytes of the database in pages that hold nothing.
    package var freeBytes: Int
    /// The free bytes of the disk if they are too few for a write to be sent; nil if there are enough, or if that is not known.
    package var bytesLeftOnDisk: Int?
    /// The number of the last migration.
    package var schemaVersion: Int
    package var sqliteVersion: String
    /// Whether this SQLite version can lose commits by resetting the WAL while another process checkpoints; fixed in 3.51.3,
    /// 3.50.7 and 3.44.6. Siding's own checkpoints are not affected, other programs' are.
    package var hasWALResetBug: Bool
}

extension Store {
    /// Describes the database file.
    package func description() async throws(StoreError) -> DatabaseDescription {
        let path = path
        return try await read { snapshot in
            let version = try snapshot.first("SELECT sqlite_version()") { $0.text(0) } ?? ""
            let space = try snapshot.space()
            return DatabaseDescription(
                path: path,
                bytes: max(FileSystem.size(path), space.pages * space.pageSize) + FileSystem.size(path + "-wal"),
                freeBytes: space.freeBytes, bytesLeftOnDisk: Self.bytesLeft(besideFile: path),
                schemaVersion: try snapshot.count("PRAGMA user_version"),
                sqliteVersion: version, hasWALResetBug: Self.hasWALResetBug(version))
        }
    }

    private static func bytesLeft(besideFile path: String) -> Int? {
        // A disk that cannot be written, such as an image, is often as large as its content.
        guard access(FileSystem.parent(of: path), W_OK) == 0, let free = FileSystem.freeBytes(at: path) else {
            return nil
        }
        return free < OwnerLock.reservedSpace ? free : nil
    }

    static func hasWALResetBug(_ version: String) -> Bool {
        let parts = version.split(separator: ".").compactMap { Int($0) }
        guard parts.count >= 3 else { return true }
        switch (parts[0], parts[1]) {
        case (3, 44): return parts[2] < 6
        case (3, 50): return parts[2] < 7
        case (3, 51): return parts[2] < 3
        case (3, ..<51): return true
        default: return false
        }
    }
}
