// SPDX-License-Identifier: Apache-2.0
import Logging
import Siding
import SidingInspection
import SidingChain
import SidingCredentials
import SidingJSON
import SidingManifest
import SidingNetwork
import SidingSynchronization

/// Delivers writes for a command, prints the results and computes the exit code.
struct WriteDelivery {
    let options: GlobalOptions
    let workspace: Workspace
    let store: Store
    let startedAt = WallClock.system.now
    let statuses = DeliveryStatuses()

    /// Sends a write that was just stored, if the network allows.
    ///
    /// - Parameters:
    ///   - sends: false only stores the write.
    ///   - waits: whether to wait until the write is complete or parked.
    func run(_ entry: QueueEntry, on source: Source, sends: Bool, waits: Bool) async throws -> ExitStatus {
        do {
            let status = try await status(of: entry, on: source, sends: sends, waits: waits)
            // 78 would say that nothing was stored.
            return status == .config ? .queued : status
        } catch let error as StoreError where error.kind == .full {
            // What the disk has no room for is the claim of the entry, which precedes the request; else it is the result of a request,
            // whose write stays claimed.
            let now = try await current(entry)
            guard now.state == .queued, now.firstSentAt == nil, now.unknownSince == nil,
                try await store.count(QueueSelection(states: [.sending])) == 0
            else { throw error }
            Output.printMessage(
                "\(entry.shortID) \(entry.method) \(entry.url): stored, but not sent: the disk of the database is full")
            options.printMessage("    free space on that disk; the next 'siding queue run' or 'siding sync' sends it")
            return .queued
        }
    }

    private func status(
        of entry: QueueEntry, on source: Source, sends: Bool, waits: Bool
    ) async throws -> ExitStatus {
        guard sends, !entry.state.isCompleted else { return try await tell(entry, isKept: !sends) }
        if let missing = await source.authorization.absence() {
            // A try would count against the source, for processes that have the secret too.
            let status = try await tell(entry)
            options.printMessage(
                "    not sent, as its source has a \(missing); the next 'siding sync', 'siding queue run' or 'siding serve' "
                    + "that can read it sends the write")
            return status
        }
        if !waits, !source.isReachable(by: LinuxConnectivity()) { return try await tell(entry) }
        let status = try await deliver(entry, on: source, waits: waits) ?? .success
        // Standard output has the write that was asked for, nothing else.
        try await tellDropped(asJSON: false)
        return status.isStop ? status : statuses.combined ?? status
    }

    private func deliver(_ entry: QueueEntry, on source: Source, waits: Bool) async throws -> ExitStatus? {
        try await withSender { sender, _ in
            if waits {
                var loop = ServiceLoop(sender: sender, pace: RetryRules.watchInterval, changes: NetworkChanges())
                loop.sources = [source.name]
                try await loop.run { outlook throws(StoreError) in
                    let now = try await current(entry)
                    return now.state.isCompleted || now.state == .parked || now.lacksCredential
                        || !canGoOn([source.name], outlook)
                }
            } else if try await sender.send(entry.id) == nil {
                // Others are ahead of it in its lane: send those first.
                _ = try await sender.drain(sources: [source.name])
            }
            return try await tell(current(entry))
        }
    }

    /// Sends all due writes of `sources`, or of all sources.
    ///
    /// - Returns: nil if there was nothing to send.
    func drain(sources: Set<String>?) async throws -> ExitStatus? {
        let stop = try await withSender { sender, _ in
            _ = try await sender.drain(sources: sources) { note($0) }
            return nil
        }
        if let stop { return stop }
        return try await finish(sources)
    }

    /// Sends writes of `sources`, or of all sources, and fetches retained pages as they become due, until nothing is left that
    /// can be sent without an operator action.
    ///
    /// - Returns: nil if there was nothing to send or to fetch.
    func watch(sources: Set<String>?, _ fetches: QueueDrain) async throws -> ExitStatus? {
        let refused = Mutex<Set<QueueEntry>>([])
        let stop = try await withSender { sender, transports in
            var loop = ServiceLoop(sender: sender, pace: RetryRules.watchInterval, changes: NetworkChanges())
            loop.sources = sources
            loop.report = { note($0) }
            loop.look = { busy throws(StoreError) in
                let known = refused.withLock { $0 }
                let found = try await fetches.due(of: sources, besides: busy, except: known)
                let syncs = found.due.sorted().map { source in
                    DueSyncs.SourceSync(source) { () throws(StoreError) in
                        let done = try await fetches.syncDue(of: source, over: transports, except: known)
                        refused.withLock { $0.formUnion(done.refused) }
                        for report in done.reports { statuses.add(report) }
                        return done.nextDue
                    }
                }
                return DueSyncs(syncs, next: found.next)
            }
            try await loop.run { outlook throws(StoreError) in
                guard !canGoOn(sources, outlook) else { return false }
                return try await fetches.resources(of: sources, except: refused.withLock { $0 }).isEmpty
            }
            return nil
        }
        if let stop { return stop }
        return try await finish(sources)
    }

    private func note(_ entry: QueueEntry) {
        statuses.add(entry)
        statuses.alone { report(entry) }
    }

    /// Notes a write that is sent on the way of another command. With `--json` it prints only parked writes.
    func noteDue(_ entry: QueueEntry) {
        guard !options.json || entry.state == .parked else { return statuses.add(entry) }
        note(entry)
    }

    /// Reports parked writes and sources missing in the config, then returns the combined exit code.
    private func finish(_ sources: Set<String>?) async throws -> ExitStatus? {
        try await tellParked()
        try await tellWaiting()
        try await tellMissingSecrets(sources)
        let lost = tellLost(try await store.sourcesOfWrites().filter { sources?.contains($0) ?? true })
        return ExitStatus.combining([statuses.combined, lost])
    }

    /// Sends the due writes of `sources` for a command that has nothing else to do.
    ///
    /// - Returns: the code if a signal stopped it; otherwise ``status`` has the result.
    func drainDue(sources: Set<String>) async throws -> ExitStatus? {
        // Reading rows is cheaper than starting a client: most syncs have nothing to send.
        let outlook = try await store.outlook(of: sources)
        // Entries still claimed by a dead sender count as work, too, and those that waited for the network may be due.
        let offline = try await store.gates().filter(\.reason.isOfLine).map(\.source)
        let others = outlook.wantingSignIn.union(outlook.claimed).union(offline)
        guard outlook.hasWork || !others.isDisjoint(with: sources) else { return nil }
        return try await withSender { sender, _ in
            try await sender.endEarlierWaits(of: sources)
            _ = try await sender.drain(sources: sources) { noteDue($0) }
            return nil
        }
    }

    /// The combined code of all writes tried or parked so far; nil if there are none.
    var status: ExitStatus? { statuses.combined }

    /// Sends these entries now, even if they are not due or their source's gate is closed.
    ///
    /// - Returns: nil if there are none.
    func send(_ entries: [QueueEntry]) async throws -> ExitStatus? {
        let known = entries.filter { isKnown($0.source) }
        let lost = tellLost(Set(entries.map(\.source)).sorted())
        guard !known.isEmpty else { return lost }
        let stop = try await withSender { sender, _ in
            let chosen = ChosenWrites(store: store, sender: sender) { note($0) }
            for entry in try await chosen.send(known) where !Task.isCancelled {
                let entry = try await current(entry)
                let cause = try await store.dropCause(of: entry)
                statuses.add(entry, cause)
                report(entry, cause)
            }
            return nil
        }
        if let stop { return stop }
        try await tellDropped(asJSON: options.json)
        try await tellWaiting()
        return ExitStatus.combining([statuses.combined, lost])
    }

    private func current(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry {
        try await store.entries(QueueSelection(ids: [entry.id])).first ?? entry
    }

    private func isKnown(_ source: String) -> Bool {
        workspace.config.sources.contains { $0.name == source }
    }

    /// Whether any write of `sources` can be sent without an operator action. Entries behind a parked one cannot.
    private func canGoOn(_ sources: Set<String>?, _ outlook: QueueOutlook) -> Bool {
        let names = workspace.config.sources.map(\.name).filter { sources?.contains($0) ?? true }
        return outlook.nextDue != nil || !outlook.claimed.isDisjoint(with: names)
    }

    private func withSender(
        _ body: @escaping @Sendable (WriteSender, any TransportFactory) async throws -> ExitStatus?
    ) async throws -> ExitStatus? {
        let result = try await Network.using { http in
            let transports = options.watching(http, workspace.config)
            return try await body(sender(over: transports), transports)
        }
        return result.stopped ?? result.value
    }

    func sender(over transports: any TransportFactory) -> WriteSender {
        WriteSender(
            store: store, sources: workspace.config.sources, transports: transports,
            signIns: workspace.signIns(transports), environment: RuntimeEnvironment(logger: options.logger(.warning)))
    }

    // MARK: Telling

    /// Reports the sources whose writes were left alone, as this process cannot read their secret.
    func tellMissingSecrets(_ sources: Set<String>?) async throws {
        let names = try await store.sourcesOfWrites().filter { sources?.contains($0) ?? true }
        for source in workspace.config.sources where names.contains(source.name) {
            guard let missing = await source.authorization.absence() else { continue }
            statuses.addMissingSecret(of: source.name)
            Output.printMessage("the writes of '\(source.name)' wait: \(missing)")
        }
    }

    /// - Returns: the code of having writes for those of `sources` that the config has lost; nil where it has them all.
    private func tellLost(_ sources: [String]) -> ExitStatus? {
        let lost = sources.filter { !isKnown($0) }
        for name in lost.map({ PlainText.oneLine($0) }) {
            Output.printMessage(
                """
                the config no longer has source '\(name)', so nobody sends its writes: 'siding queue list --source \
                \(name)' shows them; where it was renamed, 'siding sync' of their resources takes edits along, and under its \
                old name all go out; 'siding queue drop' gives them up
                """)
        }
        return lost.isEmpty ? nil : .notFound
    }

    /// - Parameter isKept: whether the write was only to be stored, not sent.
    private func tell(_ entry: QueueEntry, isKept: Bool = false) async throws -> ExitStatus {
        let cause = try await store.dropCause(of: entry)
        statuses.add(entry, cause)
        let gate = try await store.gates().closed(entry.source, at: options.messageFormat.now)
        if options.json {
            let explanation = QueueExplanation(
                entry, gate: gate, keep: store.keep, now: options.messageFormat.now)
            Output.line(Shapes.entry(entry, explanation, try await store.history(of: entry.id)).text)
        } else {
            report(entry, cause, gate)
        }
        return isKept && entry.state != .dropped ? .success : ExitStatus(delivering: entry, cause)
    }

    /// - Parameters:
    ///   - cause: how a dropped write ended, if known.
    ///   - gate: the closed gate of the entry's source, if there is one.
    func report(_ entry: QueueEntry, _ cause: DropCause? = nil, _ gate: SourceGate? = nil) {
        if options.json { Output.line(Shapes.entry(entry).text) } else { printMessage(entry, cause, gate) }
    }

    func printMessage(_ entry: QueueEntry, _ cause: DropCause? = nil, _ gate: SourceGate? = nil) {
        let request = "\(entry.shortID) \(entry.method) \(entry.url)"
        switch entry.state {
        case .done:
            guard options.terminal.isOutput || options.verbose > 0 else { return }
            let rest = entry.isOnlyAccepted ? ": the origin accepted it (202), and carries it out later" : ""
            options.printMessage("\(request): delivered\(rest)")
        case .parked:
            let message = entry.lastError.map { ": \($0.message)" } ?? ""
            Output.printMessage("\(request): parked: \(entry.reason?.rawValue ?? "")\(message)")
            options.printMessage("    'siding queue show \(entry.shortID)' shows the next steps")
        case .queued, .sending:
            options.printMessage("\(request): queued\(Self.wait(of: entry, gate).map { ": \($0)" } ?? "")")
        case .dropped where cause == .cancelled: options.printMessage("\(request): \(DropCause.cancelled.message)")
        case .dropped:
            Output.printMessage("\(request): \(cause?.message ?? "dropped: \(entry.lastError?.message ?? "")")")
        }
    }

    /// Why a queued entry waits, in short.
    private static func wait(of entry: QueueEntry, _ gate: SourceGate?) -> String? {
        if entry.state == .queued, !entry.isHead { return "other entries are before it in its lane" }
        if entry.state == .queued, entry.waitsOn > 0 { return "the entries that it depends on are not completed" }
        return entry.lastError?.message ?? gate.map { "no request goes to its source now: \($0.note)" }
    }
}
