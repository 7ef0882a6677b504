internal import Siding
public import SidingChain

/// Makes the caches that ``ResponseCacheConformance`` examines: one value for one empty cache.
public protocol ResponseCacheProvider: Sendable {
    /// Opens the cache, which is empty.
    ///
    /// - Parameters:
    ///   - byteLimit: the most bytes that it keeps, counted by `CachedResponse.byteCount`.
    ///   - clock: says what was used when.
    func open(byteLimit: Int, clock: WallClock) async throws -> any ResponseCache
}

/// Provides an `InMemoryResponseCache`.
public struct InMemoryResponseCacheProvider: ResponseCacheProvider {
    public init() {}

    public func open(byteLimit: Int, clock: WallClock) -> any ResponseCache {
        InMemoryResponseCache(byteLimit: byteLimit)
    }
}
