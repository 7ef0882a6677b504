// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Performs a refresh: asks the token endpoint for the next credential and saves it.
///
/// A token that the endpoint returned is not lost while the program lives, even if nobody waits for it any more, because the
/// spent one is useless. While a request for a credential is under way, no second one is sent for the same credential.
final class CredentialRenewal: Sendable {
    private struct State {
        /// Credentials with a request under way; more than one if requests that were given up still run.
        var asking: Set<Credential> = []
        /// Credentials that the endpoint returned and the store has not saved yet, by the spent credential.
        var unsaved: [Credential: Credential] = [:]
        /// The last credential that was obtained here.
        var latest: Credential?
        /// The credential that `latest` was renewed from, by one or more refreshes here.
        var given: Credential?
    }

    private let settings: AccessSettings
    private let state = Mutex(State())

    init(_ settings: AccessSettings) {
        self.settings = settings
    }

    /// Whether a request for the credential after `spent` is under way.
    func isAsking(for spent: Credential) -> Bool {
        state.withLock { $0.asking.contains { $0.isSame(as: spent) } }
    }

    /// `stored`, or the credential that was renewed here, again and again, until there was `stored`.
    func given(for stored: Credential) -> Credential {
        state.withLock { state in state.latest?.isSame(as: stored) == true ? state.given ?? stored : stored }
    }

    /// The credential after `spent`, obtained while holding the gate.
    func outcome(_ spent: Credential, _ context: ChainContext) async -> SharedRefresh.Outcome {
        do throws(Failure) {
            return .success(
                try await settings.gate.withRefresh(of: settings.account) { () async throws(Failure) -> Credential in
                    // Another process may have renewed it first.
                    let stored = try await self.settings.stored()
                    guard stored.isSame(as: spent) else {
                        self.forget(spent)
                        return stored
                    }
                    // Without space to save, a new token would be lost and the spent one is useless.
                    try await self.settings.store.reserve(for: self.settings.account)
                    return try await self.saved(self.fresh(stored, context), for: stored)
                })
        } catch {
            return .failure(settings.described(error))
        }
    }

    /// Asks the token endpoint for the credential after `spent`, once: one that could not be saved the last time is reused,
    /// because its refresh token is spent.
    private func fresh(_ spent: Credential, _ context: ChainContext) async throws(Failure) -> Credential {
        let unsaved = state.withLock { state in
            let unsaved = state.unsaved.first { $0.key.isSame(as: spent) }?.value
            if unsaved == nil { state.asking.insert(spent) }
            return unsaved
        }
        if let unsaved { return unsaved }
        let request = settings.refresher.bounded { spent, context throws(Failure) in
            try await self.asked(spent, context)
        } late: { outcome in
            guard case .success = outcome else { return }
            // Enters the gate again, since others may be inside by now. The request's task is cancelled, so this runs in a new
            // task, which is awaited at once.
            _ = await Task { await self.outcome(spent, context) }.value
        }
        do { return try await request.process(spent, context) } catch { throw settings.describedRequest(error, spent) }
    }

    /// Sends the request. Its end and its result are recorded in one step before any caller resumes, so that none asks again.
    private func asked(_ spent: Credential, _ context: ChainContext) async throws(Failure) -> Credential {
        do throws(Failure) {
            let fresh = try await settings.refresher.asked(spent, context)
            state.withLock { state in
                state.asking.remove(spent)
                state.unsaved[spent] = fresh
            }
            return fresh
        } catch {
            state.withLock { _ = $0.asking.remove(spent) }
            throw error
        }
    }

    /// Saves the credential durably before anyone uses it, even if every caller has left and the task is cancelled, because the
    /// old token is spent. Hence a new task, which is awaited at once.
    private func saved(_ fresh: Credential, for spent: Credential) async throws(Failure) -> Credential {
        let settings = settings
        state.withLock { state in
            if state.latest?.isSame(as: spent) != true { state.given = spent }
            state.latest = fresh
        }
        let result = await Task { () async -> Result<Void, Failure> in
            do throws(Failure) { return .success(try await settings.store.save(fresh, of: settings.account)) } catch {
                return .failure(error)
            }
        }.value
        try result.get()
        forget(spent)
        return fresh
    }

    private func forget(_ spent: Credential) {
        state.withLock { state in state.unsaved = state.unsaved.filter { !$0.key.isSame(as: spent) } }
    }
}
