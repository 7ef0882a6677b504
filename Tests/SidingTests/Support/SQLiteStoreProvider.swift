import Siding
import SidingTesting

/// Provides a `SQLiteStore` in a directory of its own.
struct SQLiteStoreProvider: StoreProvider {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    var path: String { directory.path(of: "store.db") }

    func open(clock: WallClock) async throws -> any Store {
        try await SQLiteStore.open(at: path, clock: clock)
    }

    /// The owner lock goes as the kernel would take it; leases, entries and runs stay as they were.
    func crash(_ store: any Store, clock: WallClock) async throws -> any Store {
        await (store as? SQLiteStore)?.close()
        return try await open(clock: clock)
    }
}
