// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging
package import SidingChain
package import SidingCredentials
internal import SidingNetwork
internal import SidingSynchronization

/// Delivers the writes of the queue.
///
/// Keeps all state in rows, so any number of senders in any number of processes may share a store. For each entry: claim it,
/// send it, record the result. If a sender dies, the next one reclaims its entry. The writes of each source are sent by
/// themselves, so that no source waits for the answers, the limits or the secret of another one.
package struct WriteSender: Sendable {
    /// The most requests of one process in flight at once to a source.
    static let mostAtOnce = 16

    let store: Store
    let sources: [String: Source]
    let transports: any TransportFactory
    private(set) var environment: RuntimeEnvironment
    /// Fires when a program goes on with another sender: this one claims nothing more.
    let replaced = ChangeSignal()
    let tried = CredentialAttempts(RetryRules.credentials)
    private let pruningPace = PruningPace()
    private let told = ToldWarnings()
    /// Whether an operator has asked for a write, so that closed gates do not hold it back.
    private var passesGates = false
    /// How long a write waits for a rate limit of its source.
    private var maximumWait = RetryRules.rateLimitWait

    /// - Parameters:
    ///   - sources: whose entries are sent; those of others are left alone.
    ///   - signIns: gets and renews the tokens of sources whose authorization is a ``SignIn``.
    package init(
        store: Store, sources: [Source], transports: any TransportFactory, signIns: SignIns? = nil,
        environment: RuntimeEnvironment = RuntimeEnvironment()
    ) {
        self.sources = Dictionary(sources.map { ($0.name, signIns?.signedIn($0) ?? $0) }) { first, _ in first }
        (self.store, self.transports, self.environment) = (store, transports, environment)
    }

    var claims: Bool { !Task.isCancelled && replaced.count == 0 }

    /// The result of one request: its entry, nil if it was lost or there was none, and the next claimed write.
    typealias Turn = (entry: QueueEntry?, next: ClaimedWrite?)

    /// Sends one entry now, if it is the head of its lane.
    ///
    /// - Parameter passesGates: whether to ignore a closed gate, because an operator asked for it.
    /// - Returns: the entry in its new state; nil if it is not the head of its lane, is not queued, or the task is cancelled.
    @concurrent
    package func send(_ entry: String, passesGates: Bool = false) async throws(StoreError) -> QueueEntry? {
        let request = ClaimRequest(
            sources: sources.mapValues(\.transport.concurrency), entry: entry, passesGates: passesGates)
        guard !Task.isCancelled, let write = try await store.claim(request) else { return nil }
        var hasty = self
        (hasty.maximumWait, hasty.passesGates) = (RetryRules.rateLimitWaitOfOne, passesGates)
        let entry = try await hasty.deliver(write, claiming: nil).entry
        await prune()
        return entry
    }

    /// Deletes what is older than the store keeps, once an hour: the file of a program that only writes is pruned by nobody else.
    /// A failure is that of the next call, or passes.
    func prune() async {
        guard pruningPace.isDue(at: environment.wallClock.now) else { return }
        _ = try? await store.pruneIfDue()
    }

    /// What there is to send for `names`; changes nothing.
    func outlook(_ names: Set<String>?) async throws(StoreError) -> QueueOutlook {
        try await store.outlook(of: Set(named(names).keys))
    }

    func named(_ names: Set<String>?) -> [String: Source] {
        sources.filter { names?.contains($0.key) ?? true }
    }

    /// The most requests in flight to `source`: one, to find out, if there seems to be no route.
    func limit(of source: Source) -> Int {
        source.isReachable(by: environment.connectivity) ? source.transport.concurrency : 1
    }

    /// The sources with a usable route.
    func reachable(_ names: Set<String>?) -> Set<String> {
        Set(named(names).filter { $0.value.isReachable(by: environment.connectivity) }.keys)
    }

    /// Ends the waits of sources that an earlier process found without a network, and that have a route now.
    package func endEarlierWaits(of names: Set<String>?) async throws(StoreError) {
        let offline = Set(try await store.gates().filter(\.reason.isOfLine).map(\.source))
        let returned = reachable(names).intersection(offline)
        if !returned.isEmpty { try await store.endWaits(of: returned, because: .lineReturned) }
    }

    /// Sends a write and claims the next.
    ///
    /// - Parameters:
    ///   - claimed: the claimed write; nil claims one from `request`, unless the sender was told to stop.
    ///   - request: what to claim; nil for nothing.
    func serve(_ claimed: ClaimedWrite? = nil, from request: ClaimRequest?) async -> Result<Turn, StoreError> {
        do throws(StoreError) {
            var write = claimed
            if write == nil { write = try await claimNext(request) }
            guard let write else { return .success((nil, nil)) }
            return .success(try await deliver(write, claiming: request))
        } catch {
            return .failure(error)
        }
    }

    /// Sends a claimed write, records the result, and claims the next from `request` unless the sender was told to stop.
    private func deliver(_ write: ClaimedWrite, claiming request: ClaimRequest?) async throws(StoreError) -> Turn {
        var sender = self
        sender.environment.logger[metadataKey: "entry"] = "\(write.entry.shortID)"
        return try await WorkSpan.ofDelivery(write, to: sources[write.entry.source], on: environment.clock) {
            [sender] () async throws(StoreError) in try await sender.sendAndRecord(write, claiming: request)
        }
    }

    private func sendAndRecord(_ write: ClaimedWrite, claiming request: ClaimRequest?) async throws(StoreError) -> Turn
    {
        // A resendable write returns to the queue at once, and so does one that still waits for a token; any other would need an
        // operator if its answer were lost.
        let tries = SentTries()
        let result =
            write.isResendable
            ? await attempt(write, tries)
            : await outlasting(
                RetryRules.stopWait, on: environment.clock, ifNeeded: { tries.stop() },
                { await attempt(write, tries) })
        let store = store
        let request = claims ? request : nil
        guard case .learned = result.transition else {
            // The result is recorded even if the sender was told to stop meanwhile.
            return try await uncancelled { () throws(StoreError) in
                try await store.recordResult(write, result, claiming: request)
            }
        }
        var again: ClaimRequest?
        if claims {
            again = ClaimRequest(
                sources: [write.entry.source: .max], entry: write.entry.id, passesGates: passesGates, knowsRecord: true)
        }
        let known = try await uncancelled { [again] () throws(StoreError) in
            let known = try await store.recordResult(write, result, claiming: again)
            guard known.next == nil else { return known }
            // What was learned may have parked or dropped it.
            let entry = QueueSelection(ids: [write.entry.id], states: QueueEntry.State.allCases)
            return (try await store.entries(entry).first, nil)
        }
        if let next = known.next { return try await sendAndRecord(next, claiming: request) }
        return (known.entry, try await claimNext(request))
    }

    private func claimNext(_ request: ClaimRequest?) async throws(StoreError) -> ClaimedWrite? {
        guard let request, claims else { return nil }
        return try await store.claim(request)
    }

    private func attempt(_ write: ClaimedWrite, _ tries: SentTries) async -> WriteResult {
        guard let source = sources[write.entry.source] else {
            return WriteResult(.released(isUnsent: true), .nothing)
        }
        let secrets = SentSecrets()
        let transport = secrets.noting(
            transports.instrumented(for: source, in: environment),
            beyond: HTTPFields(write.outgoingFields.map { $0 } + source.headerFields.map { $0 }),
            secretQueryNames: source.authorization.secretQueryNames)
        let result =
            if let probe = write.probeToRun {
                await ask(probe, about: write, source, over: transport)
            } else if let question = write.recordQuestion {
                await ask(question, about: write, source, over: transport)
            } else if write.asksFirst, let portal = await portal(before: write, source, over: transport) {
                policy(write, source).result(of: portal)
            } else {
                await send(write, source, over: transport, tries)
            }
        // A token that is on its way to this process would be lost with it.
        if Task.isCancelled { await source.authorization.access?.waitForRefresh() }
        return result.scrubbed(of: secrets)
    }

    private func send(
        _ write: ClaimedWrite, _ source: Source, over transport: any Transport, _ tries: SentTries
    ) async -> WriteResult {
        let transport = tries.noting(transport)
        let answer = await exchange(write, source, over: transport)
        warnOfLimits(answer, of: write, source)
        var policy = policy(write, source)
        policy.hasLostTry = tries.hasLost
        var result =
            switch answer {
            case .success(let response) where write.isWebPage(response, from: source):
                policy.result(of: await webPage(answering: write, source, over: transport))
            case .success(let response): policy.result(of: response)
            case .failure(let failure) where isPerhapsOfPortal(failure, policy):
                policy.result(of: await refusal(of: write, failure, source, over: transport))
            case .failure(let failure): policy.result(of: failure)
            }
        result.hasLostTry = tries.hasLost
        return await withTheirs(result, of: write, source, over: transport)
    }

    /// Says once which header fields of limits its answers have and cannot be read: they have no effect.
    private func warnOfLimits(_ answer: Result<LoadedResponse, Failure>, of write: ClaimedWrite, _ source: Source) {
        let fields: HTTPFields
        switch answer {
        case .success(let response): fields = response.response.headerFields
        case .failure(let failure):
            guard case .http(let refusal) = failure.reason else { return }
            fields = refusal.headerFields
        }
        for warning in source.unreadableLimits(in: fields, of: write.url).sorted() where told.insert(warning) {
            environment.logger.warning("\(warning)", metadata: ["source": "\(source.name)"])
        }
    }

    private func exchange(
        _ write: ClaimedWrite, _ source: Source, over transport: any Transport
    ) async -> Result<LoadedResponse, Failure> {
        let transport = write.isResendable ? transport : write.announced(in: store, over: transport)
        let context = ChainContext(
            requestID: "entry \(write.entry.shortID)", logger: environment.logger, isResendable: write.isResendable)
        do throws(Failure) {
            try checkSafety(of: write.url, at: source)
            return .success(try await chain(source, transport).make().process(write, context))
        } catch {
            return .failure(error)
        }
    }

    func chain(_ source: Source, _ transport: any Transport) -> WriteChain {
        WriteChain(
            source: source, transport: transport,
            budget: SourceRateLimits(source, in: store, wallClock: environment.wallClock).map {
                BudgetUse($0, maximumWait: maximumWait)
            }, environment: environment)
    }

    func policy(_ write: ClaimedWrite, _ source: Source) -> WriteResultPolicy {
        WriteResultPolicy(source: source, write: write, jitter: environment.jitter, now: environment.wallClock.now)
    }
}
