package import SidingChain
internal import SidingSynchronization

/// Tracks the credentials that this process has tried with each source. A source that needs a sign-in is tried again only when
/// its credentials have changed, since an origin may lock an account after too many wrong passwords.
///
/// All credentials are released twice: the first refusal may answer a request that was sent with the ones before, by this process
/// or another. A secret that a program makes anew at each reading is another one at each look, so at most six others are released
/// per hour. They are kept in memory only, as hashes that have no meaning for other processes.
package final class TriedCredentials: Sendable {
    private static let mostReleases = 2
    private static let mostChanges = 6
    private static let span = Duration.seconds(3600)

    private struct Tried {
        var credentials: CredentialFingerprint
        var count = 1
        /// When others were released than the time before.
        var changes: [Timestamp] = []

        /// Those of the last hour. One in the future was noted before the clock was set back.
        func recentChanges(at now: Timestamp) -> [Timestamp] { changes.filter { $0 <= now && now - $0 < span } }
    }

    private let wallClock: WallClock
    private let tried = Mutex<[String: Tried]>([:])

    package init(wallClock: WallClock) {
        self.wallClock = wallClock
    }

    /// The credentials of `source`, if they are worth a try. Nil if they have been tried, if too many others were, or if they
    /// cannot be read.
    package func worthTrying(for source: String, _ authorization: Authorization) async -> CredentialFingerprint? {
        guard let now = await CredentialFingerprint(of: authorization) else { return nil }
        guard let last = tried.withLock({ $0[source] }) else { return now }
        let isWorthTrying =
            last.credentials == now
            ? last.count < Self.mostReleases : last.recentChanges(at: wallClock.now).count < Self.mostChanges
        return isWorthTrying ? now : nil
    }

    /// Call it as soon as requests to `source` may go out with `credentials` again.
    package func noteRelease(of source: String, _ credentials: CredentialFingerprint) {
        let now = wallClock.now
        tried.withLock { tried in
            guard let last = tried[source] else { return tried[source] = Tried(credentials: credentials) }
            if last.credentials == credentials {
                tried[source]?.count = Self.mostReleases
            } else {
                tried[source] = Tried(credentials: credentials, changes: last.recentChanges(at: now) + [now])
            }
        }
    }

    /// Call it before requests to `source` that nobody had to release: their credentials are tried, too.
    package func noteFirst(of source: String, _ authorization: Authorization) async {
        guard tried.withLock({ $0[source] == nil }), let now = await CredentialFingerprint(of: authorization)
        else { return }
        tried.withLock { tried in if tried[source] == nil { tried[source] = Tried(credentials: now) } }
    }
}
