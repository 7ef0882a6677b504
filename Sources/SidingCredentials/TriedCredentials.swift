internal import SidingChain
internal import SidingSynchronization

/// Tracks the credentials that this process has tried with each source. A source that needs a sign-in is tried again only when
/// its credentials have changed, since an origin may lock an account after too many wrong passwords.
///
/// All credentials are tried twice: the first refusal may answer a request that was sent with the ones before, by this process or
/// another. They are kept in memory only, as hashes that have no meaning for other processes.
package final class TriedCredentials: Sendable {
    private static let most = 2

    private struct Tried {
        var credentials: CredentialFingerprint
        var count = 1
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
    package func note(_ credentials: CredentialFingerprint, of source: String) {
        tried.withLock { tried in
            let isSame = tried[source]?.credentials == credentials
            tried[source] = Tried(credentials: credentials, count: isSame ? Self.most : 1)
        }
    }

    /// Call it before requests to `source` that nobody had to release: their credentials are tried, too.
    package func noteFirst(of source: String, _ authorization: Authorization) async {
        guard tried.withLock({ $0[source] == nil }), let now = await CredentialFingerprint(of: authorization)
        else { return }
        note(now, of: source)
    }

    /// Call it after requests to `source`: a token that they renewed themselves is not new.
    package func noteRenewal(of source: String, _ authorization: Authorization) async {
        guard authorization.access != nil else { return }
        let now = await CredentialFingerprint(of: authorization)
        tried.withLock { tried in tried[source].map { tried[source]?.credentials = $0.credentials.renewed(as: now) } }
    }
}
