// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingInspection
import SidingJSON
import SidingManifest

/// `siding queue run`: tries the entries that are due, once or with `--watch` until nothing is left to send.
struct QueueRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Send due writes, fetch due pages, and finish their listings.",
        discussion: """
            Entries that wait for a sign-in are tried as well. With --watch, writes are sent and pages fetched as they become \
            due; of the selectors only --source may be given.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Continue until every remaining entry needs an operator; takes only --source.")
    var watch = false
    @OptionGroup var shard: ShardOption
    @OptionGroup var metrics: MetricsFileOption

    func validate() throws {
        guard watch, selection.narrowsBeyondSources else { return }
        throw ValidationError(
            "--watch handles every entry that becomes due: of the selectors it takes only --source."
        )
    }

    func run() async throws {
        let shard = try shard.value()
        try await metrics.written(for: options, shard) { try await runQueue(shard) }
    }

    private func runQueue(_ shard: Shard?) async throws {
        let status = try await options.withStore(.readWrite) { workspace, store in
            try await workspace.notifying(store) { try await run(workspace, store, shard) }
        }
        if status != .success { throw status }
    }

    private func run(_ workspace: Workspace, _ store: Store, _ shard: Shard?) async throws -> ExitStatus {
        var chosen = try await selection.selection(now: WallClock.system.now, workspace, store)
        guard try await endWaits(of: &chosen, in: store) else {
            tellNothingDue()
            return .success
        }
        chosen.dueBy = WallClock.system.now
        let isEmpty = try await store.entries(chosen, limit: 1).isEmpty
        let drain = QueueDrain(workspace: workspace, store: store, options: options, shard: shard)
        let delivery = WriteDelivery(options: options, workspace: workspace, store: store)
        let writes = try await deliver(chosen, delivery, drain)
        if let writes, writes.isStop { return writes }
        chosen.kinds = [.fetch]
        let due = try await store.entries(chosen)
        let fetches = try await drain.run(due, "queue run")
        if let fetches, fetches.isStop { return fetches }
        chosen.dueBy = nil
        if isEmpty, !watch { try await tellWaiting(chosen, in: store) }
        let parked = try await drain.tellParked(chosen, besides: Set(due.compactMap(\.resource)))
        return ExitStatus.combining([writes, fetches, parked]) ?? .success
    }

    private var isOfAll: Bool { !selection.isNarrow || watch }
    private var sources: Set<String>? { selection.source.isEmpty ? nil : Set(selection.source) }

    /// An operator asked for it, so entries that wait for the network or a sign-in are tried too; of a selection, only its entries.
    ///
    /// - Returns: whether any entry can be meant.
    private func endWaits(of chosen: inout QueueSelection, in store: Store) async throws -> Bool {
        guard !isOfAll else {
            try await store.endWaits(of: sources, because: .retryRequested)
            return true
        }
        let meant = try await store.entries(chosen)
        let waiting = meant.filter { $0.reason == .signIn }.map(\.id)
        if !waiting.isEmpty { _ = try await store.perform(.release, on: QueueSelection(ids: waiting)) }
        // Released entries are no longer what they were chosen for, so they are named.
        if !chosen.states.isEmpty || !chosen.reasons.isEmpty { chosen = QueueSelection(ids: meant.map(\.id)) }
        return !meant.isEmpty
    }

    /// Says on a terminal that nothing was due, and what waits for its time.
    private func tellWaiting(_ chosen: QueueSelection, in store: Store) async throws {
        guard options.terminal.isOutput else { return }
        var waiting = chosen
        (waiting.kinds, waiting.states) = ([], [.queued])
        let entries = try await store.entries(waiting)
        guard let next = entries.map(\.nextAttemptAt).min() else {
            tellNothingDue()
            return
        }
        let wait = MessageFormat.duration(next - WallClock.system.now)
        options.printMessage(
            "nothing is due: \(MessageFormat.count(entries.count, "entry waits", plural: "entries wait")), the first one "
                + "\(wait) more; 'siding queue retry ID' tries one now")
    }

    private func tellNothingDue() {
        if options.terminal.isOutput { options.printMessage("nothing is due") }
    }

    private func deliver(
        _ chosen: QueueSelection, _ delivery: WriteDelivery, _ drain: QueueDrain
    ) async throws -> ExitStatus? {
        if watch { return try await delivery.watch(sources: sources, drain) }
        // Without a selection the sender claims due writes one by one, so their number does not matter.
        guard selection.isNarrow else { return try await delivery.drain(sources: nil) }
        return try await delivery.send(try await delivery.store.entries(chosen).filter { $0.kind == .write })
    }
}

/// `siding queue retry`: tries entries now, due or not, parked or not, and resets their attempts.
struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try entries now, due or not, parked or not; their count of tries restarts."
    )

    @OptionGroup var action: ActionOptions

    func run() async throws {
        let shard = try ShardOption.ofEnvironment()
        let status = try await action.options.withStore(.readWrite) { workspace, store in
            let chosen = try await action.chosenSurely(workspace, store)
            // A source's gate can be closed without an entry waiting for it; naming the source opens the gate.
            for source in chosen.sources where !action.dryRun { try await store.openGate(ofSource: source) }
            let (changed, status) = try await action.perform(.act(.retry), on: chosen, of: store)
            guard !action.dryRun, !changed.isEmpty else { return status }
            let writes = try await WriteDelivery(options: action.options, workspace: workspace, store: store)
                .send(changed.filter { $0.kind == .write })
            if let writes, writes.isStop { return writes }
            let fetches = try await QueueDrain(
                workspace: workspace, store: store, options: action.options, shard: shard
            ).run(changed.filter { $0.kind == .fetch }, "queue retry")
            return ExitStatus.combining([writes, fetches, status == .success ? nil : status]) ?? .success
        }
        if status != .success { throw status }
    }
}

/// Retries retained fetches by syncing their resources, which continue at the retained page.
struct QueueDrain {
    let workspace: Workspace
    let store: Store
    let options: GlobalOptions
    /// The part that this station fetches; nil for everything.
    let shard: Shard?

    /// The resources in the config that have a queued page, of `sources` or of all.
    ///
    /// - Parameter refused: pages to ignore: the last sync did not try them and would not now.
    func resources(
        of sources: Set<String>?, except refused: Set<QueueEntry>
    ) async throws(StoreError) -> [AnyResource] {
        resources(of: try await queuedPages(of: sources).subtracting(refused))
    }

    private func resources(of pages: Set<QueueEntry>) -> [AnyResource] {
        let names = Set(pages.compactMap(\.resource))
        return workspace.config.resources.filter { names.contains($0.name) }
    }

    private func queuedPages(of sources: Set<String>?) async throws(StoreError) -> Set<QueueEntry> {
        Set(
            try await store.entries(
                QueueSelection(sources: Array(sources ?? []), states: [.queued], kinds: [.fetch])))
    }

    /// Looks for pages that are due.
    ///
    /// - Parameters:
    ///   - busy: sources whose pages are ignored, because they are being fetched.
    ///   - refused: pages to ignore.
    /// - Returns: the sources with due pages, and when a page of another one becomes due.
    func due(
        of sources: Set<String>?, besides busy: Set<String>, except refused: Set<QueueEntry>
    ) async throws(StoreError) -> (due: Set<String>, next: Timestamp?) {
        let now = WallClock.system.now
        let known = Set(workspace.config.resources.map(\.name))
        let queued = try await queuedPages(of: sources).filter { !busy.contains($0.source) }
        let pages = queued.subtracting(refused).filter { page in
            page.isDue(at: now) && page.resource.map(known.contains) ?? false
        }
        let due = Set(pages.map(\.source))
        let next = queued.filter { !due.contains($0.source) }.map(\.nextAttemptAt).filter { $0 > now }.min()
        return (due, next)
    }

    /// Syncs the resources of a source whose page is due. Waits up to ten seconds for another run that locks one of them.
    ///
    /// - Parameter refused: pages to skip.
    /// - Returns: the reports; the pages that their syncs did not try, such as after a change of the config, which the caller must
    ///   skip next time, as they stay due; and when the next page becomes due, which may have come meanwhile.
    func syncDue(
        of source: String, over transports: any TransportFactory, except refused: Set<QueueEntry>
    ) async throws(StoreError) -> (reports: [SyncReport], refused: Set<QueueEntry>, nextDue: Timestamp?) {
        let begun = WallClock.system.now
        let queued = try await queuedPages(of: [source])
        let pages = queued.filter { $0.isDue(at: begun) }.subtracting(refused)
        let due = resources(of: pages)
        let reports = due.isEmpty ? [] : try await sync(due, over: transports)
        let left = due.isEmpty ? queued : try await queuedPages(of: [source])
        let tried = Set(reports.filter { $0.heldBy == nil }.map(\.result.resource))
        return (
            reports, pages.intersection(left).filter { $0.resource.map(tried.contains) ?? false },
            left.map(\.nextAttemptAt).filter { $0 > begun }.min()
        )
    }

    private func sync(
        _ due: [AnyResource], over transports: any TransportFactory
    ) async throws(StoreError) -> [SyncReport] {
        var runner = SyncRunner(options: options, workspace: workspace, store: store, isOffline: false)
        (runner.showsProgress, runner.shard) = (false, shard)
        return try await runner.sync(due, SyncOptions(lockWait: .seconds(10)), command: "queue run", over: transports)
    }

    /// Reports the parked pages among `chosen`: their listings stand still until a sync or an operator takes them up.
    ///
    /// - Parameter synced: resources that were synced just now, whose result has been reported.
    /// - Returns: nil if there are none.
    func tellParked(_ chosen: QueueSelection, besides synced: Set<String>) async throws -> ExitStatus? {
        let pages = try await store.entries(chosen).filter { page in
            guard page.state == .parked, page.reason != .held, let resource = page.resource else { return false }
            return !synced.contains(resource) && workspace.config.resources.contains { $0.name == resource }
        }
        guard !pages.isEmpty else { return nil }
        if options.json {
            for page in pages { Output.line(Shapes.entry(page).text) }
            return .queued
        }
        for (resource, pages) in Dictionary(grouping: pages, by: { $0.resource ?? "" }).sorted(by: { $0.key < $1.key })
        {
            let first = pages[0]
            let others = pages.count == 1 ? "" : " and \(MessageFormat.grouped(pages.count - 1)) more"
            Output.printMessage(
                "\(resource): page \(first.pageNumber ?? 1)\(others) parked: \(first.reason?.rawValue ?? "")"
                    + (first.lastError.map { ": \($0.message)" } ?? ""))
            let next = "'siding queue show \(first.shortID)' shows the next steps"
            Output.printMessage("    " + (first.waitsForPerson ? next : "'siding sync \(resource)' fetches it"))
        }
        return .queued
    }

    /// - Returns: nil if there was nothing to fetch.
    func run(_ entries: [QueueEntry], _ command: String) async throws -> ExitStatus? {
        let names = entries.compactMap(\.resource).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        let known = workspace.config.resources.filter { names.contains($0.name) }
        let unknown = names.filter { name in !known.contains { $0.name == name } }
        for name in unknown {
            Output.printMessage(
                "\(PlainText.oneLine(name)): the resource has left the config; 'siding queue drop' drops its entries")
        }
        guard !known.isEmpty else { return unknown.isEmpty ? nil : .notFound }
        var runner = SyncRunner(options: options, workspace: workspace, store: store, isOffline: false)
        runner.shard = shard
        let status = try await runner.run(known, SyncOptions(), command: command)
        return ExitStatus.combining(
            unknown.isEmpty ? [status] : [status, .notFound], savedAnything: status == .success)
    }
}
