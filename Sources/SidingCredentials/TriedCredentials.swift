internal import SidingChain
internal import SidingSynchronization

/// Tracks the credentials that this process has tried with each source. A source that needs a sign-in is tried again only when
/// its credentials have changed, since an origin may lock an account after too many wrong passwords.
///
/// All credentials are released twice: the first refusal may answer a request that was sent with the ones before, by this process
/// or another. They are kept in memory only, as hashes that have no meaning for other processes.
package final class TriedCredentials: Sendable {
    private static let most = 2

    private struct Tried {
        let credentials: CredentialFingerprint
        var count = 1
        /// How often requests were released, with whatever credentials.
        var releases = 0
    }

    private let tried = Mutex<[String: Tried]>([:])

    package init() {}

    /// The credentials of `source`, if they are worth a try. Nil if they have been tried, or cannot be read.
    package func worthTrying(for source: String, _ authorization: Authorization) async -> CredentialFingerprint? {
        guard let now = await CredentialFingerprint(of: authorization) else { return nil }
        let last = tried.withLock { $0[source] }
        return last?.credentials == now && last?.count == Self.most ? nil : now
    }

    /// Call it as soon as requests to `source` may go out with `credentials` again.
    package func noteRelease(of source: String, _ credentials: CredentialFingerprint) {
        tried.withLock { tried in
            let last = tried[source]
            tried[source] = Tried(
                credentials: credentials, count: last?.credentials == credentials ? Self.most : 1,
                releases: (last?.releases ?? 0) + 1)
        }
    }

    /// How often requests to `source` were released.
    package func releases(of source: String) -> Int { tried.withLock { $0[source]?.releases ?? 0 } }

    /// Call it before requests to `source` that nobody had to release: their credentials are tried, too.
    package func noteFirst(of source: String, _ authorization: Authorization) async {
        guard tried.withLock({ $0[source] == nil }), let now = await CredentialFingerprint(of: authorization)
        else { return }
        tried.withLock { tried in if tried[source] == nil { tried[source] = Tried(credentials: now) } }
    }
}
