// SPDX-License-Identifier: Apache-2.0
internal import Logging
package import SidingChain
package import SidingCredentials
internal import SidingNetwork
internal import SidingSynchronization

/// Syncs resources: fetches pages and saves them in the store.
///
/// It keeps no state: everything is in the store, so any number of engines in any number of processes may share one. For each
/// resource it takes the lease, chooses the first page (that of a retained fetch, else the checkpoint, else the first page of
/// the listing) and saves page after page. If a request fails, it keeps the request in the queue, or reports why not.
package struct SyncEngine: Sendable {
    let store: Store
    /// The store that counts requests against rate limits. In a rehearsal (`siding plan --fetch`) it is the original store,
    /// because the requests are real.
    var rateLimitStore: Store
    let transports: any TransportFactory
    let signIns: SignIns?
    var environment: RuntimeEnvironment
    var progress: @Sendable (SyncProgress) -> Void
    /// Called as a run begins, with the names of its resources.
    var began: @Sendable (RunID, [String]) -> Void = { _, _ in }
    /// Called as a run ends.
    var ended: @Sendable (RunID, RunOutcome) -> Void = { _, _ in }
    /// Sends the due writes of each source before its resources are synced, see ``SyncOrder``; nil, the default, sends none.
    package var sender: WriteSender?
    /// Called as the result of each of these writes is recorded, by the sources concurrently.
    package var delivered: @Sendable (QueueEntry) -> Void = { _ in }
    /// Fires when a program goes on with another engine: a run of this one begins no further resource.
    var replaced = ChangeSignal()
    /// The syncs of the same program: a resource that one of them syncs is left to it, and those that begin now may join. Nil for
    /// an engine whose caller does that.
    var running: RunningSyncs?
    /// The part of ``declared`` that this station fetches; nil, the default, for all of it.
    var shard: Shard?
    /// The resources that the shards share.
    var declared: [AnyResource] = []
    /// Whether a service syncs what is due, not a person or a program what it asks for.
    var isOfService: Bool { running != nil }

    /// - Parameters:
    ///   - store: the database for records, queue and runs.
    ///   - transports: makes a transport per source.
    ///   - signIns: gets and renews the tokens of sources whose authorization is a ``SignIn``.
    ///   - environment: clocks, randomness, network connectivity, the logger.
    ///   - progress: called after each page.
    package init(
        store: Store,
        transports: any TransportFactory,
        signIns: SignIns? = nil,
        environment: RuntimeEnvironment = RuntimeEnvironment(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) {
        self.store = store
        rateLimitStore = store
        self.transports = transports
        self.signIns = signIns
        self.environment = environment
        self.progress = progress
    }

    var now: Timestamp { environment.wallClock.now }

    /// Syncs `resources` in one run, their sources side by side and those of a source one after the other: in the given order, but
    /// each parent resource before its fan-out resources. With a ``sender`` the due writes of each source come first.
    ///
    /// - Parameters:
    ///   - command: the command to record in the run, such as `sync posts`.
    ///   - report: called in that order, once a resource and all before it have ended, and all writes.
    /// - Returns: a report per resource, in order; with `failsFast` none after the first failure.
    /// - Throws: ``StoreError`` if the store itself fails; the run is then recorded as `failed`.
    @concurrent
    package func run(
        _ resources: [AnyResource], options: SyncOptions = SyncOptions(), command: String = "sync",
        report: @Sendable (SyncReport) -> Void = { _ in }
    ) async throws(StoreError) -> [SyncReport] {
        let result: Result<[SyncReport], StoreError>
        let resources = resources.map(signedIn)
        do throws(StoreError) {
            result = .success(
                try await (TrafficMeter.current ?? TrafficMeter()).counting { () async throws(StoreError) in
                    try await WorkSpan.within("siding.run") { span throws(StoreError) in
                        try await syncs(resources, options, command, span, report)
                    }
                })
        } catch {
            result = .failure(error)
        }
        // An abandoned page may have left a token refresh running, and the program may exit after this run.
        for resource in resources { await resource.source.authorization.access?.waitForRefresh() }
        return try result.get()
    }

    private func signedIn(_ resource: AnyResource) -> AnyResource {
        var resource = resource
        resource.source = signIns?.signedIn(resource.source) ?? resource.source
        return resource
    }

    private func syncs(
        _ resources: [AnyResource], _ options: SyncOptions, _ command: String, _ span: WorkSpan,
        _ report: @Sendable (SyncReport) -> Void
    ) async throws(StoreError) -> [SyncReport] {
        let stopwatch = Stopwatch(environment.clock)
        let run = try await store.beginRun(command: command)
        span.set("siding.run", Int(run))
        began(run, resources.map(\.name))
        let reports: [SyncReport]
        do throws(StoreError) { reports = try await syncSideBySide(resources, options, command, run, report) } catch {
            let store = store
            // The first error is reported; a run without an end is recorded as interrupted by the next one.
            try? await uncancelled { () throws(StoreError) in try await store.endRun(run, outcome: .failed) }
            span.ended(.failed, error: error.kind.rawValue, after: stopwatch)
            ended(run, .failed)
            throw error
        }
        let outcome = Task.isCancelled ? .interrupted : RunOutcome.combining(reports.compactMap(\.result.outcome))
        let store = store
        try await uncancelled { () throws(StoreError) in try await store.endRun(run, outcome: outcome) }
        span.ended(outcome, after: stopwatch)
        ended(run, outcome)
        return reports
    }

    /// - Throws: the first error of the store, which cancels the syncs under way, after they have ended.
    private func syncSideBySide(
        _ resources: [AnyResource], _ options: SyncOptions, _ command: String, _ run: RunID,
        _ report: @Sendable (SyncReport) -> Void
    ) async throws(StoreError) -> [SyncReport] {
        let sources = Set(resources.map(\.source.name))
        var order = SyncOrder(
            ParentOrder.parentsFirst(resources), sending: sender == nil ? [] : sources.sorted(),
            most: options.mostSources)
        var failure: StoreError?
        await withTaskGroup(of: Result<EndedStep, StoreError>.self) { group in
            var isOver = false
            while true {
                while !isOver, !Task.isCancelled, replaced.count == 0, let step = order.begin() {
                    group.addTask { await end(of: step, options, command, run) }
                }
                guard let ended = await group.next() else { break }
                switch ended {
                case .success(.writes(let sent)):
                    let due = sent.due.intersection(sources)
                    order.endWrites(of: sent.source, due: due, hasFailed: sent.hasFailed).forEach(report)
                case .success(.resource(let done, let due)):
                    order.end(done, due: due).forEach(report)
                    let isFailed = done.result.outcome == .failed || done.result.outcome == .partial
                    if options.failsFast, isFailed { isOver = true }
                case .failure(let error):
                    (failure, isOver) = (failure ?? error, true)
                    group.cancelAll()
                }
            }
        }
        order.endAll().forEach(report)
        if let failure { throw failure }
        return order.reports
    }

    /// What a ``SyncOrder/Turn`` has come to.
    private enum EndedStep: Sendable {
        case writes(SentWrites)
        /// `due`: its source, where writes to it are due now.
        case resource(SyncReport, due: Set<String> = [])
    }

    private func end(
        of step: SyncOrder.Turn, _ options: SyncOptions, _ command: String, _ run: RunID
    ) async -> Result<EndedStep, StoreError> {
        do throws(StoreError) {
            return switch step {
            case .writes(let source): .success(.writes(try await send(to: source)))
            case .resource(let resource):
                .success(
                    await endedStep(
                        try await sync(resource, options: options, command: command, run: run), resource, options))
            }
        } catch {
            guard error.kind == .cancelled, Task.isCancelled, case .resource(let resource) = step else {
                if case .resource(let resource) = step {
                    let store = store
                    // The first error is the one to report.
                    try? await uncancelled { () throws(StoreError) in
                        try await store.endResource(resource.name, after: error, in: run)
                    }
                }
                return .failure(error)
            }
            // What ends a request at this moment ends a call of the store, too: the store has not failed.
            return .success(.resource(SyncReport(resource.name).failed(Failure(.cancelled, phase: .notSent))))
        }
    }

    /// A resource that has ended, with what is due then. A run of one source at a time has sent all writes by now.
    private func endedStep(_ report: SyncReport, _ resource: AnyResource, _ options: SyncOptions) async -> EndedStep {
        guard let sender, options.mostSources > 1, report.result.outcome?.isSuccess ?? false,
            // A store that fails does so again in the next step.
            let outlook = try? await sender.outlook([resource.source.name])
        else { return .resource(report) }
        return .resource(report, due: outlook.ready)
    }

    private func send(to source: String) async throws(StoreError) -> SentWrites {
        try await sender?.deliverStep(to: source, delivered) ?? SentWrites(source: source)
    }

    /// Syncs one resource in a run of its own.
    @concurrent
    package func sync(_ resource: AnyResource, options: SyncOptions = SyncOptions()) async throws(StoreError)
        -> SyncReport
    {
        let reports = try await run([resource], options: options, command: "sync \(resource.name)")
        let cancelled = Failure(.cancelled, phase: .notSent, detail: "before it began")
        return reports.first ?? SyncReport(resource.name).failed(cancelled)
    }

    private func sync(
        _ resource: AnyResource, options: SyncOptions, command: String, run: RunID
    ) async throws(StoreError) -> SyncReport {
        let stopwatch = Stopwatch(environment.clock)
        var engine = self
        engine.environment.logger[metadataKey: "run"] = "\(run)"
        engine.environment.logger[metadataKey: "resource"] = "\(resource.name)"
        var report = try await WorkSpan.within("siding.resource") { [engine] span throws(StoreError) in
            let report = try await engine.leased(resource, options, command, run)
            span.set(report.result, of: resource)
            return report
        }
        report.result.duration = stopwatch.elapsed()
        let (store, result) = (store, report.result)
        try await uncancelled { () throws(StoreError) in try await store.endResource(result, in: run) }
        return report
    }

    private func leased(
        _ resource: AnyResource, _ options: SyncOptions, _ command: String, _ run: RunID
    ) async throws(StoreError) -> SyncReport {
        if let report = try await leftToOthers(resource, command) { return report }
        let check = FreshnessCheck(resource: resource, options: options, now: now)
        if let note = check.skipReason(try await store.freshness(of: resource.name)) {
            var report = SyncReport(resource.name, .skipped)
            report.add(note: note)
            return report
        }
        if let spent = TrafficLimit(options.maxBytes)?.failure {
            var report = SyncReport(resource.name).failed(spent)
            report.result.outcome = .skipped
            return report
        }
        guard let running else { return try await underLease(resource, options, command, run) }
        return try await running.syncIfFree(resource, options, by: replaced, at: now) { () throws(StoreError) in
            try await underLease(resource, options, command, run)
        } ifHeld: { since in
            held(resource, by: LeaseHolder(command: "sync \(resource.name)", since: since))
        }
    }

    private func underLease(
        _ resource: AnyResource, _ options: SyncOptions, _ command: String, _ run: RunID
    ) async throws(StoreError) -> SyncReport {
        try await store.withLease(
            Lease.name(ofResource: resource.name), command: command, wait: options.lockWait, by: environment.clock
        ) { lease throws(StoreError) in
            let sync = ResourceSync(engine: self, resource: resource, options: options, lease: lease, run: run)
            return try await keeping(resource, try await sync.runWhole(), lease, run)
        } ifHeld: { holder in
            held(resource, by: holder)
        }
    }

    func held(_ resource: AnyResource, by holder: LeaseHolder) -> SyncReport {
        let error = RecordedError(
            name: "locked", message: holder.message(holding: resource.name),
            hint: "wait for it with 'siding sync --wait-lock 30s', or SyncOptions(lockWait:) in a program")
        return SyncReport(resource.name, .skipped, error: error, heldBy: holder)
    }

    /// Deletes the records that the resource does not keep, after a sync that stored new ones.
    private func keeping(
        _ resource: AnyResource, _ report: SyncReport, _ lease: Lease, _ run: RunID
    ) async throws(StoreError) -> SyncReport {
        guard let retention = resource.keptRecords, report.result.counters.inserted > 0 else { return report }
        let count = try await store.apply(retention, to: resource.name, under: lease, run: run)
        guard count > 0 else { return report }
        var report = report
        report.add(
            note: "\(MessageFormat.count(count, "old record was", plural: "old records were")) deleted, as 'keep' says")
        return report
    }
}

extension RunOutcome {
    /// The outcome of a run, from the outcomes of its resources.
    static func combining(_ outcomes: [RunOutcome]) -> RunOutcome {
        let kinds = Set(outcomes)
        if kinds.isEmpty { return .skipped }
        if kinds.contains(.partial) { return .partial }
        if kinds.contains(.failed) { return kinds.isDisjoint(with: [.saved, .notModified]) ? .failed : .partial }
        for outcome in [RunOutcome.queued, .saved, .notModified] where kinds.contains(outcome) { return outcome }
        return .skipped
    }
}

/// Orders resources for a sync, so that parents come before the resources that fan out over them.
package enum ParentOrder {
    /// `resources` in their order, but each parent before its fan-out resources. A cycle is left as it is.
    package static func parentsFirst(_ resources: [AnyResource]) -> [AnyResource] {
        let byName = Dictionary(resources.map { ($0.name, $0) }) { first, _ in first }
        var ordered: [AnyResource] = []
        var taken: Set<String> = []
        for resource in resources {
            var ancestors: [AnyResource] = []
            var next: AnyResource? = resource
            while let one = next, taken.insert(one.name).inserted {
                ancestors.append(one)
                next = one.forEach.flatMap { byName[$0.resource] }
            }
            ordered += ancestors.reversed()
        }
        return ordered
    }
}
