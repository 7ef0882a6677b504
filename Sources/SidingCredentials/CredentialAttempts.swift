// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSynchronization

/// How often credentials are tried.
package struct CredentialLimits: Sendable, Hashable {
    /// How often the same ones are.
    package var sameAttempts: Int
    /// How many others are, within ``window``.
    package var others: Int
    /// Nil: until the caller forgets the attempts.
    package var window: Duration?

    package init(sameAttempts: Int, others: Int, window: Duration?) {
        (self.sameAttempts, self.others, self.window) = (sameAttempts, others, window)
    }
}

/// Tracks the credentials that this process has tried, for each key: a source that needs a sign-in, or a resource whose
/// sync failed. It is tried again only when its credentials have changed, since an origin may lock an account after too
/// many wrong passwords.
///
/// A secret that a program makes anew at each reading is another one each time, so the number of others is limited. The
/// attempts are kept in memory only, as hashes that have no meaning for other processes.
package final class CredentialAttempts: Sendable {
    private struct Attempts {
        /// Nil if they could not be read.
        var credentials: CredentialFingerprint?
        var count = 1
        /// When others were tried than the time before.
        var changes: [Timestamp] = []

        /// Those of the last `window`. One in the future was recorded before the clock was set back.
        func changes(within window: Duration?, at now: Timestamp) -> [Timestamp] {
            guard let window else { return changes }
            return changes.filter { $0 <= now && now - $0 < window }
        }
    }

    private let limits: CredentialLimits
    private let attempts = Mutex<[String: Attempts]>([:])

    package init(_ limits: CredentialLimits) {
        self.limits = limits
    }

    /// Whether `credentials` are worth a try: they have not been tried often enough, nor have too many others. Nil, for
    /// those that cannot be read, is nothing to try.
    package func isWorthTrying(_ credentials: CredentialFingerprint?, for key: String, at now: Timestamp) -> Bool {
        guard let credentials else { return false }
        guard let last = attempts.withLock({ $0[key] }) else { return true }
        return last.credentials == credentials
            ? last.count < limits.sameAttempts : last.changes(within: limits.window, at: now).count < limits.others
    }

    /// Records a try; call it as soon as requests may be sent with `credentials`.
    package func record(_ credentials: CredentialFingerprint?, for key: String, at now: Timestamp) {
        attempts.withLock { attempts in
            guard var last = attempts[key] else { return attempts[key] = Attempts(credentials: credentials) }
            if last.credentials == credentials {
                last.count += 1
            } else {
                if credentials != nil { last.changes = last.changes(within: limits.window, at: now) + [now] }
                (last.credentials, last.count) = (credentials, 1)
            }
            attempts[key] = last
        }
    }

    /// Records a try of the credentials that `authorization` has now, unless there is one for `key`.
    package func recordFirst(of authorization: Authorization, for key: String) async {
        guard attempts.withLock({ $0[key] == nil }), let now = await CredentialFingerprint(of: authorization)
        else { return }
        attempts.withLock { attempts in
            if attempts[key] == nil { attempts[key] = Attempts(credentials: now) }
        }
    }

    /// Begins anew for `key`.
    package func forget(_ key: String) {
        attempts.withLock { $0[key] = nil }
    }
}
