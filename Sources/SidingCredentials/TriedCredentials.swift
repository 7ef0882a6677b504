internal import SidingChain
internal import SidingSynchronization

/// Tracks the credentials that this process has tried with each source. A source that needs a sign-in is tried again only when
/// its credentials have changed, since an origin may lock an account after too many wrong passwords.
///
/// It is kept in memory only, as hashes that have no meaning for other processes.
package final class TriedCredentials: Sendable {
    private let seen = Mutex<[String: Int]>([:])

    package init() {}

    /// Whether `source` has other credentials than at the last call. True at the first call, because the program was just
    /// started. False if the credentials cannot be read, as there is nothing to try.
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
