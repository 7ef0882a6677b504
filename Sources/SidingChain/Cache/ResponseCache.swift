// SPDX-License-Identifier: Apache-2.0
/// Stores responses, for revalidation and for times when the origin cannot be reached.
///
/// `SQLiteResponseCache` of the module `Siding` keeps them in a file, `InMemoryResponseCache` of `SidingNodes` only while
/// the process lives.
/// `ResponseCacheConformance` in `SidingTesting` holds the laws for other implementations. All calls throw
/// ``Failure/Reason/notCached`` with the reason if the underlying storage fails; nodes then continue as if nothing were stored.
public protocol ResponseCache: Sendable {
    /// The stored response for a request, without its body; nil if there is none. Does not count as a use.
    func head(for request: CacheRequest) async throws(Failure) -> CachedHead?

    /// The stored response for a request; nil if there is none.
    func response(for request: CacheRequest) async throws(Failure) -> CachedResponse?

    /// Stores a response. Replaces the one with the same key and variant, and all with the same key that vary on other fields,
    /// since the origin's `Vary` has changed. Makes room by removing the least recently used.
    ///
    /// - Returns: false if the response alone is larger than the cache; nothing is removed for it.
    @discardableResult
    func store(_ response: CachedResponse) async throws(Failure) -> Bool

    /// Updates fields, time and age of the row with the key and variant of `head`; its body stays.
    ///
    /// - Returns: false if there is no such row, or its validators differ from those of `validated`; nothing is changed then.
    func refresh(_ head: CachedHead, validated: CachedHead) async throws(Failure) -> Bool

    /// Removes every response with this key, whatever the variant.
    func remove(_ key: CacheKey) async throws(Failure)

    /// Removes every response of `account`; for signing out.
    func removeAll(ofAccount account: String) async throws(Failure)

    /// Removes the least recently used until at most `bytes` are left.
    func evict(to bytes: Int) async throws(Failure)
}
