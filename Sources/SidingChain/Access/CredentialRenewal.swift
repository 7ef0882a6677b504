internal import SidingSynchronization

/// The refresh proper: asks the token endpoint for the credential after a spent one, and brings it to the store.
///
/// A token that the endpoint gave is not lost while the program lives, whoever has stopped waiting for it, since the spent
/// one is worth nothing any more. And while a request for a credential is under way, no other goes out for the same.
final class CredentialRenewal: Sendable {
    private struct State {
        /// What a request is under way for; more than one where requests go on that were given up.
        var asking: Set<Credential> = []
        /// What the endpoint gave and the store did not take yet, by the credential that was spent for it.
        var unsaved: [Credential: Credential] = [:]
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

    /// The credential after `spent`, alone among all who share the gate.
    func outcome(_ spent: Credential, _ context: ChainContext) async -> SharedRefresh.Outcome {
        do throws(Failure) {
            return .success(
                try await settings.gate.withRefresh(of: settings.account) { () async throws(Failure) -> Credential in
                    // Another process may have been inside before.
                    let stored = try await self.settings.stored()
                    guard stored.isSame(as: spent) else {
                        self.forget(spent)
                        return stored
                    }
                    // What cannot be saved would be lost: the spent token is worth nothing once it was taken.
                    try await self.settings.store.reserve(for: self.settings.account)
                    return try await self.saved(self.fresh(stored, context), for: stored)
                })
        } catch {
            return .failure(settings.told(error))
        }
    }

    /// What the token endpoint gives for `spent`, asked for once: what could not be saved the last time is not asked for
    /// again, as its refresh token is spent.
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
            // By the gate again, where others may be inside by now. The request's task is cancelled: hence one of its own,
            // which is awaited at once.
            _ = await Task { await self.outcome(spent, context) }.value
        }
        do { return try await request.process(spent, context) } catch { throw settings.toldOfRequest(error, spent) }
    }

    /// Asks; that it has ended, and what came of it, is noted in one step before anyone is told, so that nobody asks again.
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

    /// Durable before anyone uses it. Saved also where everyone has left meanwhile and the task is cancelled: the old
    /// token is spent. Hence a task of its own, which is awaited at once.
    private func saved(_ fresh: Credential, for spent: Credential) async throws(Failure) -> Credential {
        let settings = settings
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
