import Siding
import SidingChain
import SidingJSON
import SidingManifest
import SidingNetwork
import SidingSynchronization

/// Delivers writes for a command: words for the person, objects for the script, the exit code for both.
struct WriteDelivery {
    let options: GlobalOptions
    let workspace: Workspace
    let store: Store
    private let startedAt = WallClock.system.now
    private let statuses = DeliveryStatuses()

    init(options: GlobalOptions, workspace: Workspace, store: Store) {
        (self.options, self.workspace, self.store) = (options, workspace, store)
    }

    /// Sends a write that was just accepted, as far as the line allows.
    func run(_ entry: QueueEntry, on source: Source, sends: Bool, waits: Bool) async throws -> ExitStatus {
        guard sends, !entry.state.isSettled else { return try await tell(entry, isKept: !sends) }
        if !waits, !LinuxConnectivity().hasUsableRoute(to: source.baseURL.host) { return try await tell(entry) }
        let status = try await withSender { sender, _ in
            if waits {
                try await sender.watch(sources: [source.name], wakingOn: NetworkChanges()) {
                    outlook throws(StoreError) in
                    let now = try await current(entry)
                    return now.state.isSettled || now.state == .parked || !canGoOn([source.name], outlook)
                }
            } else if try await sender.send(entry.id) == nil {
                // Not its turn: what stands before it in its lane may go now.
                _ = try await sender.drain(sources: [source.name])
            }
            return try await tell(current(entry))
        }
        return status ?? .success
    }

    /// Sends all that is due, of `sources` or of all.
    ///
    /// - Returns: nil where there was nothing to send.
    func drain(sources: Set<String>?) async throws -> ExitStatus? {
        let stop = try await withSender { sender, _ in
            _ = try await sender.drain(sources: sources) { note($0) }
            return nil
        }
        if let stop { return stop }
        return try await finish(sources)
    }

    /// Sends all that becomes due, of `sources` or of all, and beside that fetches the retained pages whose time comes, until
    /// nothing is left that could be sent without a person.
    ///
    /// - Returns: nil where there was nothing to send or to fetch.
    func watch(sources: Set<String>?, _ fetches: QueueDrain) async throws -> ExitStatus? {
        let refused = Mutex<Set<QueueEntry>>([])
        let stop = try await withSender { sender, transports in
            let loop = ServiceLoop(
                sender: sender, sources: sources, pace: WriteSender.pace, changes: NetworkChanges(),
                report: { note($0) },
                sync: { () throws(StoreError) in
                    let known = refused.withLock { $0 }
                    let done = try await fetches.syncDue(of: sources, over: transports, except: known)
                    refused.withLock { $0.formUnion(done.refused) }
                    for report in done.reports { statuses.add(report) }
                })
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
        report(entry)
    }

    /// The code of what was sent of `sources`, once what else is to be said of them was said.
    private func finish(_ sources: Set<String>?) async throws -> ExitStatus? {
        try await tellParked()
        let lost = tellLost(try await store.sourcesOfWrites().filter { sources?.contains($0) ?? true })
        return ExitStatus.combining([statuses.combined, lost])
    }

    /// Sends what is due of `sources` before something else is done with them; tells in JSON only what waits for a person.
    ///
    /// - Returns: the code where a signal ended it; else ``status`` has it.
    func drainDue(sources: Set<String>) async throws -> ExitStatus? {
        // A look at rows is cheaper than a client: most syncs have nothing to send.
        let outlook = try await store.outlook(of: sources)
        // What a sender that died has left in its hand is work too.
        let others = outlook.wantingSignIn.union(outlook.inHand)
        guard outlook.hasWork || !others.isDisjoint(with: sources) else { return nil }
        return try await withSender { sender, _ in
            _ = try await sender.drain(sources: sources) { entry in
                statuses.add(entry)
                if !options.json || entry.state == .parked { report(entry) }
            }
            return nil
        }
    }

    /// The code of all that was tried or parked so far; nil where nothing was.
    var status: ExitStatus? { statuses.combined }

    /// Tells the writes that were parked without being tried, as their time or their key's was over, and counts them in.
    func tellParked() async throws {
        let parked = try await store.writesParked(since: startedAt).filter { !statuses.hasParked($0) }
        parked.forEach { statuses.add($0) }
        if options.json { return parked.forEach { report($0) } }
        for reason in ParkReason.allCases {
            let count = parked.count { $0.reason == reason }
            guard count > 0 else { continue }
            Output.talk(
                """
                \(Words.count(count, "write")) parked without being sent: \(reason.rawValue); 'siding queue list --state \
                parked --reason \(reason.rawValue)' shows \(count == 1 ? "it" : "them")
                """)
        }
    }

    /// Sends these entries now, although their time has not come or their source is to be left alone; their order in
    /// their lanes stays.
    ///
    /// - Returns: nil where there are none.
    func send(_ entries: [QueueEntry]) async throws -> ExitStatus? {
        let known = entries.filter { isKnown($0.source) }
        let lost = tellLost(Set(entries.map(\.source)).sorted())
        guard !known.isEmpty else { return lost }
        let stop = try await withSender { sender, _ in
            for entry in try await send(known, by: sender) where !Task.isCancelled {
                let entry = try await current(entry)
                let ending = try await ending(of: entry)
                statuses.add(entry, ending)
                report(entry, ending)
            }
            return nil
        }
        return stop ?? ExitStatus.combining([statuses.combined, lost])
    }

    /// Passes over `entries` until a pass settles none: each that is settled may have let another have its turn.
    ///
    /// - Returns: those that were not tried.
    private func send(_ entries: [QueueEntry], by sender: WriteSender) async throws -> [QueueEntry] {
        var left = entries
        while !left.isEmpty, !Task.isCancelled {
            var (waiting, settlesAny) = ([QueueEntry](), false)
            for entry in left where !Task.isCancelled {
                guard let tried = try await sender.send(entry.id, passesGates: true) else {
                    waiting.append(entry)
                    continue
                }
                statuses.add(tried)
                report(tried)
                settlesAny = settlesAny || tried.state.isSettled
            }
            left = waiting
            if !settlesAny { break }
        }
        return left
    }

    private func current(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry {
        try await store.entries(QueueSelection(ids: [entry.id])).first ?? entry
    }

    /// What ended a dropped entry; nil for others.
    private func ending(of entry: QueueEntry) async throws(StoreError) -> QueueEvent? {
        entry.state == .dropped ? try await store.history(of: entry.id).last : nil
    }

    private func isKnown(_ source: String) -> Bool {
        workspace.manifest.sources.contains { $0.name == source }
    }

    /// Whether any write of `sources` can be sent without a person's word. What waits behind a parked one cannot.
    private func canGoOn(_ sources: Set<String>?, _ outlook: QueueOutlook) -> Bool {
        let names = workspace.manifest.sources.map(\.name).filter { sources?.contains($0) ?? true }
        return outlook.nextDue != nil || !outlook.inHand.isDisjoint(with: names)
    }

    private func withSender(
        _ body: @escaping @Sendable (WriteSender, any TransportFactory) async throws -> ExitStatus?
    ) async throws -> ExitStatus? {
        let result = try await Network.using { http in
            try await body(
                WriteSender(
                    store: store, sources: workspace.manifest.sources, transports: http,
                    signIns: workspace.signIns(http), environment: Environment(logger: options.logger())), http)
        }
        return result.stopped ?? result.value
    }

    // MARK: Telling

    /// - Returns: the code of having writes for those of `sources` that the config has lost; nil where it has them all.
    private func tellLost(_ sources: [String]) -> ExitStatus? {
        let lost = sources.filter { !isKnown($0) }
        for name in lost.map({ PlainText.oneLine($0) }) {
            Output.talk(
                """
                the config has no source '\(name)' any more, so nobody sends its writes: 'siding queue list --source \
                \(name)' shows them; where it was renamed, 'siding sync' of their resources takes edits along, and under its \
                old name all go out; 'siding queue drop' gives them up
                """)
        }
        return lost.isEmpty ? nil : .notFound
    }

    /// - Parameter isKept: whether it was to be kept and no more.
    private func tell(_ entry: QueueEntry, isKept: Bool = false) async throws -> ExitStatus {
        let ending = try await ending(of: entry)
        if options.json {
            let gate = try await store.gates().first { $0.source == entry.source }
            let explanation = QueueExplanation(entry, gate: gate, now: options.words.now)
            Output.line(Shapes.entry(entry, explanation, try await store.history(of: entry.id)).text)
        } else {
            report(entry, ending)
        }
        return isKept && entry.state != .dropped ? .success : ExitStatus(delivering: entry, ending)
    }

    /// - Parameter ending: the event that ended a dropped entry, where it is known.
    private func report(_ entry: QueueEntry, _ ending: QueueEvent? = nil) {
        if options.json { return Output.line(Shapes.entry(entry).text) }
        let request = "\(entry.shortID) \(entry.method) \(entry.url)"
        switch entry.state {
        case .done: if options.terminal.isOutput || options.verbose > 0 { options.talk("\(request): delivered") }
        case .parked:
            let message = entry.lastError.map { ": \($0.message)" } ?? ""
            Output.talk("\(request): parked: \(entry.reason?.rawValue ?? "")\(message)")
            options.talk("    'siding queue show \(entry.shortID)' says what can be done")
        case .queued, .sending:
            options.talk("\(request): queued\(Self.wait(of: entry).map { ": \($0)" } ?? "")")
        case .dropped where ending?.isCancellation == true: options.talk("\(request): \(ending?.ending ?? "dropped")")
        case .dropped:
            Output.talk("\(request): \(ending?.ending ?? "dropped: \(entry.lastError?.message ?? "")")")
        }
    }

    /// What a queued entry waits for, in a few words.
    private static func wait(of entry: QueueEntry) -> String? {
        if entry.state == .queued, !entry.isHead { return "others stand before it in its lane" }
        if entry.state == .queued, entry.waitsOn > 0 { return "what it is to wait for is not settled" }
        return entry.lastError?.message
    }
}
