package import SidingChain
internal import SidingSynchronization

/// Tracks the credentials that this process has tried with each source. A source that needs a sign-in is tried again only when
/// its credentials have changed, since an origin may lock an account after too many wrong passwords.
///
/// All credentials are released a few times: the first refusal may answer a request that was sent with the ones before, by this
/// process or another. A secret that a program makes anew at each reading is another one at each look, so the number of others in
/// a time is limited. They are kept in memory only, as hashes that have no meaning for other processes.
package final class TriedCredentials: Sendable {
    private struct Tried {
        var credentials: CredentialFingerprint
        var count = 1
        /// When others were released than the time before.
        var changes: [Timestamp] = []

        /// Those of the last `window`. One in the future was noted before the clock was set back.
        func changes(within window: Duration, at now: Timestamp) -> [Timestamp] {
            changes.filter { $0 <= now && now - $0 < window }
        }
    }

    private let limits: CredentialLimits
    private let wallClock: WallClock
    private let tried = Mutex<[String: Tried]>([:])

    package init(_ limits: CredentialLimits, wallClock: WallClock) {
        (self.limits, self.wallClock) = (limits, wallClock)
    }

    /// The credentials of `source`, if they are worth a try. Nil if they have been tried, if too many others were, or if they
    /// cannot be read.
    package func worthTrying(for source: String, _ authorization: Authorization) async -> CredentialFingerprint? {
        guard let now = await CredentialFingerprint(of: authorization) else { return nil }
        guard let last = tried.withLock({ $0[source] }) else { return now }
        let isWorthTrying =
            last.credentials == now
            ? last.count < limits.sameAttempts
            : last.changes(within: limits.window, at: wallClock.now).count < limits.others
        return isWorthTrying ? now : nil
    }

    /// Call it as soon as requests to `source` may go out with `credentials` again.
    package func noteRelease(of source: String, _ credentials: CredentialFingerprint) {
        let now = wallClock.now
        tried.withLock { tried in
            guard let last = tried[source] else { return tried[source] = Tried(credentials: credentials) }
            if last.credentials == credentials {
                tried[source]?.count = limits.sameAttempts
            } else {
                tried[source] = Tried(
                    credentials: credentials, changes: last.changes(within: limits.window, at: now) + [now])
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

/// How often the credentials of a source are tried.
package struct CredentialLimits: Sendable, Hashable {
    /// How often the same ones are.
    package var sameAttempts: Int
    /// How many others are within ``window``.
    package var others: Int
    package var window: Duration

    package init(sameAttempts: Int, others: Int, window: Duration) {
        (self.sameAttempts, self.others, self.window) = (sameAttempts, others, window)
    }
}
