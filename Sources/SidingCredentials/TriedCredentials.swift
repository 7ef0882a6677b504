internal import SidingChain
internal import SidingSynchronization

/// The credentials with which this process has tried each source, so that one that wants a sign-in is asked again when they
/// have changed, and only then: an origin may lock an account whose password is wrong too often.
///
/// Kept in memory only, as hashes that mean nothing to another process.
package final class TriedCredentials: Sendable {
    private let seen = Mutex<[String: Int]>([:])

    package init() {}

    /// Whether `source` has other credentials now than at the last call. At the first call it has: the program was started
    /// anew. Credentials that cannot be read are none that could be tried.
    package func areNew(of source: String, _ authorization: Authorization) async -> Bool {
        guard let now = try? await Self.hash(of: authorization) else { return false }
        return seen.withLock { seen in
            defer { seen[source] = now }
            return seen[source] != now
        }
    }

    private static func hash(of authorization: Authorization) async throws(Failure) -> Int {
        var hasher = Hasher()
        if let access = authorization.access { hasher.combine(try await access.credential()) }
        for secret in authorization.secrets { hasher.combine(try await secret.read()) }
        return hasher.finalize()
    }
}
