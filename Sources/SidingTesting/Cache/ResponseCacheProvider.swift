// SPDX-License-Identifier: Apache-2.0
internal import Siding
public import SidingChain
internal import SidingNodes

/// Creates the caches that ``ResponseCacheConformance`` checks: one value for one empty cache.
public protocol ResponseCacheProvider: Sendable {
    /// Opens the cache, which is empty.
    ///
    /// - Parameters:
    ///   - byteLimit: the maximum size of the cache, in bytes of `CachedResponse.byteCount`.
    ///   - clock: the time of each use.
    func open(byteLimit: Int, clock: WallClock) async throws -> any ResponseCache
}

/// Provides an `InMemoryResponseCache`.
public struct InMemoryResponseCacheProvider: ResponseCacheProvider {
    /// A provider whose caches live in memory only.
    public init() {}

    /// A new, empty cache; it orders uses by their sequence and needs no clock.
    public func open(byteLimit: Int, clock: WallClock) -> any ResponseCache {
        InMemoryResponseCache(byteLimit: byteLimit)
    }
}
