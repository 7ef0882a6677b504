// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingCredentials

/// Sending all due writes: those of the sources side by side.
extension WriteSender {
    /// Sends due writes until none is left, those of the sources side by side, several to each at once within its limits.
    ///
    /// - Parameter report: called as each result is recorded, by the sources concurrently.
    /// - Returns: the entries that were tried, in their new state.
    /// - Throws: ``StoreError`` if the store itself fails; requests in flight are recorded first, or left for the next sender.
    @concurrent
    package func drain(
        sources names: Set<String>? = nil, report: @escaping @Sendable (QueueEntry) -> Void = { _ in }
    ) async throws(StoreError) -> [QueueEntry] {
        await prune()
        // Each claim takes the writer lock that all processes share, so none is made if there is nothing to claim.
        var order = SendingOrder(try await look(names).sources.sorted())
        return try await withTaskGroup(of: Result<SentWrites, StoreError>.self) { group in
            var tried: [QueueEntry] = []
            var failure: StoreError?
            while true {
                while failure == nil, claims, let name = order.begin() {
                    group.addTask {
                        do throws(StoreError) { return .success(try await deliverStep(to: name, report)) } catch {
                            return .failure(error)
                        }
                    }
                }
                guard let ended = await group.next() else { break }
                switch ended {
                case .failure(let error): failure = failure ?? error
                case .success(let sent):
                    tried += sent.tried
                    order.end(sent.source, due: sent.due.filter { names?.contains($0) ?? true })
                }
            }
            return failure.map(Result.failure) ?? Result<[QueueEntry], StoreError>.success(tried)
        }.get()
    }

    /// Sends the due writes of a source, as a step of a drain or of a run.
    func deliverStep(
        to name: String, _ report: @escaping @Sendable (QueueEntry) -> Void
    ) async throws(StoreError) -> SentWrites {
        var sent = SentWrites(source: name)
        do throws(StoreError) {
            sent.tried = try await deliver(to: name, report: report) ?? []
            // Writes of other sources may have waited for these: in the same lane, or as they name what these create.
            if sent.tried.contains(where: \.state.isCompleted) { sent.due = try await outlook(nil).ready }
        } catch {
            // A sender that is told to stop may be so in a call of the store: the store has not failed.
            guard error.kind == .cancelled, Task.isCancelled else { throw error }
        }
        return sent
    }

    /// Sends the due writes of a source until none is left, after releasing those that wait for a sign-in if the credentials
    /// have changed, whatever the gate. Its secret is looked up once.
    ///
    /// - Returns: the entries that were tried, in their new state; nil if the secret is missing: the writes stay as they are
    ///   for a process that has it.
    func deliver(
        to name: String, report: @escaping @Sendable (QueueEntry) -> Void
    ) async throws(StoreError) -> [QueueEntry]? {
        guard let source = sources[name] else { return [] }
        guard await source.authorization.absence() == nil else { return nil }
        var outlook = try await look([name]).outlook
        if outlook.wantingSignIn.contains(name), try await release(source) {
            outlook = try await store.outlook(of: [name])
        }
        guard outlook.hasWork else { return [] }
        await tried.recordFirst(of: source.authorization, for: name)
        return try await send(to: source, report)
    }

    /// Releases the entries that wait for a sign-in if the credentials have changed.
    private func release(_ source: Source) async throws(StoreError) -> Bool {
        let credentials = await CredentialFingerprint(of: source.authorization)
        let now = environment.wallClock.now
        guard tried.isWorthTrying(credentials, for: source.name, at: now) else { return false }
        try await store.endWaits(of: [source.name], because: .credentialsChanged)
        tried.record(credentials, for: source.name, at: now)
        return true
    }

    private func send(
        to source: Source, _ report: @escaping @Sendable (QueueEntry) -> Void
    ) async throws(StoreError) -> [QueueEntry] {
        let limit = limit(of: source)
        let request = ClaimRequest(sources: [source.name: limit])
        let most = min(Self.mostAtOnce, limit)
        return try await withTaskGroup(of: Result<Turn, StoreError>.self) { group in
            var (underWay, done) = (most, [QueueEntry]())
            var failure: StoreError?
            var reapedAt = environment.wallClock.now
            for _ in 0..<most { group.addTask { await serve(from: request) } }
            while let result = await group.next() {
                underWay -= 1
                switch result {
                case .failure(let error): failure = failure ?? error
                case .success(let turn):
                    if let next = turn.next {
                        let request = failure == nil ? request : nil
                        group.addTask { await serve(next, from: request) }
                        underWay += 1
                    }
                    guard let entry = turn.entry else { continue }
                    done.append(entry)
                    report(entry)
                    // A long queue must not delay entries of senders that died meanwhile. If this fails, the next look
                    // reclaims them, or fails.
                    if environment.wallClock.now - reapedAt >= RetryRules.watchInterval {
                        reapedAt = environment.wallClock.now
                        _ = try? await store.reclaim()
                    }
                    // A delivery may have allowed more requests than it used: after an outage the number doubles.
                    if failure == nil, turn.next != nil, underWay < most {
                        group.addTask { await serve(from: request) }
                        underWay += 1
                    }
                }
            }
            return failure.map(Result.failure) ?? Result<[QueueEntry], StoreError>.success(done)
        }.get()
    }

    /// Finds out what there is to do for `names`, after parking what has expired and reclaiming the writes of dead senders.
    /// Costs one read if neither applies; reads no secret.
    ///
    /// - Returns: the state of the queue, and the sources with something to do.
    func look(_ names: Set<String>?) async throws(StoreError) -> (outlook: QueueOutlook, sources: Set<String>) {
        var outlook = try await outlook(names)
        var isStale = outlook.hasExpired
        if isStale { try await store.parkExpired() }
        if !outlook.claimed.isEmpty, try await !store.reclaim().isEmpty { isStale = true }
        if isStale { outlook = try await self.outlook(names) }
        return (outlook, outlook.ready.union(outlook.wantingSignIn.intersection(named(names).keys)))
    }
}

/// What ``WriteSender/deliverStep(to:_:)`` sent.
struct SentWrites: Sendable {
    let source: String
    /// The entries that were tried, in their new state.
    var tried: [QueueEntry] = []
    /// Whether one of them failed, and is to be tried again.
    var hasFailed: Bool { tried.contains { $0.state == .queued } }
    /// The sources with due writes, if some may have waited for these; else empty.
    var due: Set<String> = []
}
