package import SidingChain
internal import SidingSynchronization

/// Tracks the credentials that this process has tried with each source. A source that needs a sign-in is tried again only when
/// its credentials have changed, since an origin may lock an account after too many wrong passwords.
///
/// All credentials are released twice: the first refusal may answer a request that was sent with the ones before, by this process
/// or another. A secret that a program makes anew each time is another one at each look, so a source that accepts none is
/// released six times per hour at most. They are kept in memory only, as hashes that have no meaning for other processes.
package final class TriedCredentials: Sendable {
    private static let mostPerCredentials = 2
    private static let mostPerSpan = 6
    private static let span = Duration.seconds(3600)

    private struct Tried {
        var credentials: CredentialFingerprint
        var count = 1
        /// When requests were released since the source has accepted one, with whatever credentials.
        var releases: [Timestamp] = []

        /// The releases of the last hour. One in the future was noted before the clock was set back.
        func recent(at now: Timestamp) -> [Timestamp] { releases.filter { $0 <= now && now - $0 < span } }
    }

    private let wallClock: WallClock
    private let tried = Mutex<[String: Tried]>([:])

    package init(wallClock: WallClock) {
        self.wallClock = wallClock
    }

    /// The credentials of `source`, if they are worth a try. Nil if they have been tried, if others were tried too often, or if
    /// they cannot be read.
    package func worthTrying(for source: String, _ authorization: Authorization) async -> CredentialFingerprint? {
        let last = tried.withLock { $0[source] }
        guard last.map({ $0.recent(at: wallClock.now).count < Self.mostPerSpan }) ?? true,
            let now = await CredentialFingerprint(of: authorization)
        else { return nil }
        return last?.credentials == now && last?.count == Self.mostPerCredentials ? nil : now
    }

    /// Call it as soon as requests to `source` may go out with `credentials` again.
    package func noteRelease(of source: String, _ credentials: CredentialFingerprint) {
        let now = wallClock.now
        tried.withLock { tried in
            let last = tried[source]
            tried[source] = Tried(
                credentials: credentials, count: last?.credentials == credentials ? Self.mostPerCredentials : 1,
                releases: (last?.recent(at: now) ?? []) + [now])
        }
    }

    /// Call it when `source` has accepted a request: its next sign-in has nothing to do with the last one.
    package func noteAccepted(by source: String) {
        tried.withLock { $0[source]?.releases = [] }
    }

    /// Call it before requests to `source` that nobody had to release: their credentials are tried, too.
    package func noteFirst(of source: String, _ authorization: Authorization) async {
        guard tried.withLock({ $0[source] == nil }), let now = await CredentialFingerprint(of: authorization)
        else { return }
        tried.withLock { tried in if tried[source] == nil { tried[source] = Tried(credentials: now) } }
    }
}
