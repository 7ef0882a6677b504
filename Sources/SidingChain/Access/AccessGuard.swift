internal import SidingSynchronization

/// What all chains of a source share: who refreshes now, and how the last refresh failed.
///
/// Two rules keep a failed refresh from becoming a storm. A call that was under way while a refresh failed shares its
/// failure. And a credential that was refused is not offered again until another stands in its place.
final class AccessGuard: Sendable {
    /// A call's leave to go out: with what, and how many refreshes had ended by then.
    struct Admission: Sendable {
        let credential: Credential
        let refreshes: Int
    }

    private struct FailedRefresh {
        let spent: Credential
        let failure: Failure
        /// Which refresh it was, counted from one.
        let number: Int

        var isRefusal: Bool { failure.underlying is RefreshRefusal }

        /// Whether it speaks for a call that was admitted so: its credential was refused, or it was under way meanwhile.
        func covers(_ admission: Admission) -> Bool {
            spent.isSame(as: admission.credential) && (isRefusal || number > admission.refreshes)
        }
    }

    private struct State {
        var running: SharedRefresh?
        /// How many refreshes have ended.
        var refreshes = 0
        var failed: FailedRefresh?
    }

    private let settings: AccessSettings
    private let renewal: CredentialRenewal
    private let state = Mutex(State())

    init(_ settings: AccessSettings) {
        self.settings = settings
        renewal = CredentialRenewal(settings)
    }

    /// The credential for a new call. Waits while a refresh runs; refreshes first where the access token is missing, or
    /// about to end and the source is set so.
    func admit(_ context: ChainContext) async throws(Failure) -> Admission {
        let refreshes = state.withLock { $0.refreshes }
        do { return try await admitted(context) } catch { return try await stillGood(after: error, refreshes) }
    }

    private func admitted(_ context: ChainContext) async throws(Failure) -> Admission {
        while true {
            let (running, refreshes) = state.withLock { ($0.running, $0.refreshes) }
            if let running {
                // Without a token where it was forgotten, or is wanted by other secrets, in the meantime.
                guard let credential = try await credential(of: running), !credential.accessToken.isEmpty else {
                    continue
                }
                return admission(credential)
            }
            let stored = try await settings.stored()
            let (isFree, failed) = state.withLock { ($0.running == nil, $0.failed) }
            // A refresh that began while the store was read is waited for.
            guard isFree else { continue }
            let last = failed.flatMap { $0.spent.isSame(as: stored) ? $0 : nil }
            if let last, last.isRefusal { throw last.failure }
            let present = Admission(credential: stored, refreshes: refreshes)
            guard settings.mustRefresh(stored, hasFailed: last != nil) else { return present }
            return admission(try await renew(present, context))
        }
    }

    /// Where a refresh failed that came early, the token that it was to replace goes out until its end.
    private func stillGood(after failure: Failure, _ refreshes: Int) async throws(Failure) -> Admission {
        guard !(failure.underlying is RefreshRefusal), failure.reason != .cancelled,
            let stored = try? await settings.stored(), settings.isStillGood(stored)
        else { throw failure }
        return Admission(credential: stored, refreshes: refreshes)
    }

    /// The credential after the one that a call was admitted with, which the origin did not take.
    ///
    /// Where another has come meanwhile it is that one. Else a refresh runs, or the one that runs is waited for.
    func renew(_ admission: Admission, _ context: ChainContext) async throws(Failure) -> Credential {
        var admission = admission
        while true {
            // A refresh that began before this call did may end in the very credential that the call went out with.
            guard let renewed = try await next(after: admission, context), !renewed.isSame(as: admission.credential)
            else { continue }
            if !renewed.accessToken.isEmpty { return renewed }
            // The stored one was forgotten, or stems from other secrets: a token is still to be had.
            admission = self.admission(renewed)
        }
    }

    private func next(after admission: Admission, _ context: ChainContext) async throws(Failure) -> Credential? {
        if let running = state.withLock({ $0.running }) { return try await credential(of: running) }
        let stored = try await settings.stored()
        guard stored.isSame(as: admission.credential) else { return stored }
        let (refresh, isNew) = try state.withLock { state throws(Failure) -> (SharedRefresh, Bool) in
            if let running = state.running { return (running, false) }
            if let failed = state.failed, failed.covers(admission) { throw failed.failure }
            // One that was given up, and is deaf to its cancellation: the endpoint may be about to answer it.
            if renewal.isAsking(for: stored) { throw settings.stillAsking(for: stored) }
            let refresh = SharedRefresh()
            state.running = refresh
            return (refresh, true)
        }
        // Unstructured, as no call owns it: the first may be cancelled while others wait, and the last one does not stay. It
        // is this guard's, in `state.running` until it ends: by its time limit, or soon after the last one left.
        if isNew { Task { await run(refresh, admission.credential, context) } }
        return try await credential(of: refresh)
    }

    /// What a refresh gave; nil where it was given up because nobody waited any more, and this call, which came late, did.
    private func credential(of refresh: SharedRefresh) async throws(Failure) -> Credential? {
        do { return try await refresh.credential() } catch {
            guard refresh.wasGivenUp, !Task.isCancelled else { throw error }
            return nil
        }
    }

    func stored() async throws(Failure) -> Credential { try await settings.stored() }

    /// Waits until the refresh that runs now, if there is one, is over; also where the task is cancelled.
    func settled() async {
        await state.withLock { $0.running }?.ended()
    }

    /// Puts what a person's sign-in gave in place of the stored credential.
    func signIn(_ grant: TokenGrant) async throws(Failure) -> Credential {
        let settings = settings
        return try await settings.gate.withRefresh(of: settings.account) { () async throws(Failure) -> Credential in
            // What cannot be read is replaced all the same.
            let old = try? await settings.store.credential(of: settings.account)
            // Of the old one only the count goes on: its refresh token may be another person's.
            let fresh = grant.credential(
                generation: (old?.generation ?? 0) &+ 1, now: settings.wallClock.now.secondsSince1970)
            try await settings.store.save(fresh, of: settings.account)
            return fresh
        }
    }

    private func admission(_ credential: Credential) -> Admission {
        Admission(credential: credential, refreshes: state.withLock { $0.refreshes })
    }
}

extension AccessGuard {
    private func run(_ refresh: SharedRefresh, _ spent: Credential, _ context: ChainContext) async {
        let settings = settings
        var isGivenUp = false
        let outcome = await withTaskGroup(of: SharedRefresh.Outcome?.self) { group in
            group.addTask { await self.renewal.outcome(spent, context) }
            group.addTask {
                await refresh.abandoned(for: settings.grace, clock: settings.clock)
                return nil
            }
            defer { group.cancelAll() }
            while let first = await group.next() {
                if let outcome = first { return outcome }
                isGivenUp = true
                group.cancelAll()
            }
            return .failure(Failure(.internalFault, phase: .notSent))
        }
        state.withLock { state in
            state.running = nil
            state.refreshes += 1
            state.failed = nil
            // That nobody waited says nothing of the credential.
            if case .failure(let failure) = outcome, !isGivenUp {
                state.failed = FailedRefresh(spent: spent, failure: failure, number: state.refreshes)
            }
        }
        refresh.finish(outcome, isGivenUp: isGivenUp)
    }
}
