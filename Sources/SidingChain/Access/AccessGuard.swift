// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The state that all chains of a source share: the running refresh, and how the last refresh failed.
///
/// Two rules keep a failed refresh from causing a storm of requests. A call that was under way while a refresh failed shares
/// its failure. And a refused credential is not offered again until another one is stored.
final class AccessGuard: Sendable {
    /// A call's permission to be sent: its credential, and the number of refreshes that had ended by then.
    struct Admission: Sendable {
        let credential: Credential
        let refreshes: Int
    }

    private struct FailedRefresh {
        let spent: Credential
        let failure: Failure
        /// The number of the refresh, counted from one.
        let number: Int

        var isRefusal: Bool { failure.underlying is RefreshRefusal }

        /// Whether this failure applies to a call with `admission`: its credential was refused, or the call was under way
        /// meanwhile.
        func covers(_ admission: Admission) -> Bool {
            spent.isSame(as: admission.credential) && (isRefusal || number > admission.refreshes)
        }
    }

    private struct State {
        var running: SharedRefresh?
        /// The number of refreshes that have ended.
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

    /// The credential for a new call. Waits for a running refresh. Refreshes first if there is no access token, or if it is
    /// about to expire and the source refreshes early.
    func admit(_ context: ChainContext) async throws(Failure) -> Admission {
        let refreshes = state.withLock { $0.refreshes }
        do { return try await admitted(context) } catch { return try await stillGood(after: error, refreshes) }
    }

    private func admitted(_ context: ChainContext) async throws(Failure) -> Admission {
        while true {
            let (running, refreshes) = state.withLock { ($0.running, $0.refreshes) }
            if let running {
                // The token is empty if the credential was forgotten, or no longer matches its secrets, in the meantime.
                guard let credential = try await credential(of: running), !credential.accessToken.isEmpty else {
                    continue
                }
                return admission(credential)
            }
            let stored = try await settings.stored()
            let (isFree, failed) = state.withLock { ($0.running == nil, $0.failed) }
            // Another call began a refresh while the store was read: wait for it.
            guard isFree else { continue }
            let last = failed.flatMap { $0.spent.isSame(as: stored) ? $0 : nil }
            if let last, last.isRefusal { throw last.failure }
            let present = Admission(credential: stored, refreshes: refreshes)
            guard settings.mustRefresh(stored, hasFailed: last != nil) else { return present }
            return admission(try await renew(present, context))
        }
    }

    /// If an early refresh failed, the current token is used until it expires.
    private func stillGood(after failure: Failure, _ refreshes: Int) async throws(Failure) -> Admission {
        guard !(failure.underlying is RefreshRefusal), failure.reason != .cancelled,
            let stored = try? await settings.stored(), settings.isStillGood(stored)
        else { throw failure }
        return Admission(credential: stored, refreshes: refreshes)
    }

    /// The credential to use after the origin refused the one of `admission`.
    ///
    /// Returns the stored credential if it has changed meanwhile. Otherwise starts a refresh or waits for the running one.
    func renew(_ admission: Admission, _ context: ChainContext) async throws(Failure) -> Credential {
        var admission = admission
        while true {
            // A refresh that began before this call may return the credential that this call was sent with.
            guard let renewed = try await next(after: admission, context), !renewed.isSame(as: admission.credential)
            else { continue }
            if !renewed.accessToken.isEmpty { return renewed }
            // The stored credential was forgotten, or comes from other secrets: a token is still needed.
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
            // A refresh that was given up and ignores its cancellation: the endpoint may still answer it.
            if renewal.isAsking(for: stored) { throw settings.stillAsking(for: stored) }
            let refresh = SharedRefresh()
            state.running = refresh
            return (refresh, true)
        }
        // Unstructured, as no call owns it: the first caller may be cancelled while others wait. This guard owns it in
        // `state.running` until it ends: by its time limit, or soon after the last caller left.
        if isNew { Task { await run(refresh, admission.credential, context) } }
        return try await credential(of: refresh)
    }

    /// The outcome of `refresh`; nil if it was given up for lack of callers just before this call joined it.
    private func credential(of refresh: SharedRefresh) async throws(Failure) -> Credential? {
        do { return try await refresh.credential() } catch {
            guard refresh.wasGivenUp, !Task.isCancelled else { throw error }
            return nil
        }
    }

    func given() async throws(Failure) -> Credential { renewal.given(for: try await settings.stored()) }

    /// The number of calls that wait for the running refresh.
    var waitingCalls: Int { state.withLock { $0.running }?.waitingCalls ?? 0 }

    /// Waits until the running refresh, if any, is over, even if the task is cancelled.
    func waitForRefresh() async {
        await state.withLock { $0.running }?.ended()
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
            // Giving up for lack of callers is no evidence about the credential.
            if case .failure(let failure) = outcome, !isGivenUp {
                state.failed = FailedRefresh(spent: spent, failure: failure, number: state.refreshes)
            }
        }
        refresh.finish(outcome, isGivenUp: isGivenUp)
    }
}
