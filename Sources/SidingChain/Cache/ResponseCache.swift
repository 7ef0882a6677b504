/// Keeps answers so that they can be asked about again, and given when the origin cannot be had.
///
/// Siding's SQLite store implements it; ``InMemoryResponseCache`` lives and dies with the process.
/// `ResponseCacheConformance` in `SidingTesting` holds the laws that any other must keep. All calls throw
/// ``Failure/Reason/notCached`` with the reason where the place beneath fails; nodes then go on as if nothing were stored.
public protocol ResponseCache: Sendable {
    /// What is stored for a request, without its body; nil where nothing is. Does not count as a use.
    func head(for request: CacheRequest) async throws(Failure) -> CachedHead?

    /// The whole answer that is stored for a request; nil where nothing is.
    func response(for request: CacheRequest) async throws(Failure) -> CachedResponse?

    /// Stores an answer in the place of an earlier one with its key and variant, and of all with its key that vary on
    /// other fields: the origin has changed its mind. Makes room by dropping what was not used for longest.
    ///
    /// - Returns: false where the answer alone is larger than the cache; nothing is dropped for it.
    @discardableResult
    func store(_ response: CachedResponse) async throws(Failure) -> Bool

    /// Writes fields, time and age of `head` over the row with its key and variant, whose body stays.
    ///
    /// - Returns: false where no row is there, or one with other validators than those of `validated`; nothing is
    ///   changed then.
    func refresh(_ head: CachedHead, validated: CachedHead) async throws(Failure) -> Bool

    /// Removes every answer with this key, of whatever variant.
    func remove(_ key: CacheKey) async throws(Failure)

    /// Removes every answer that was given to `account`: for signing out.
    func removeAll(ofAccount account: String) async throws(Failure)

    /// Drops what was not used for longest until at most `bytes` are left.
    func evict(to bytes: Int) async throws(Failure)
}
