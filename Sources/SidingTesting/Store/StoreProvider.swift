public import Siding

/// Makes the stores that ``StoreConformance`` examines: one value for one empty store.
public protocol StoreProvider: Sendable {
    /// Opens the store, which is empty.
    func open(clock: WallClock) async throws -> any Store

    /// Ends the process that opened `store` without a chance to tidy up, and opens the same data in another one.
    func crash(_ store: any Store, clock: WallClock) async throws -> any Store
}

/// Provides an ``InMemoryStore``.
public struct InMemoryStoreProvider: StoreProvider {
    public init() {}

    public func open(clock: WallClock) -> any Store { InMemoryStore(clock: clock) }

    public func crash(_ store: any Store, clock: WallClock) async -> any Store {
        await (store as? InMemoryStore)?.crash()
        return store
    }
}
