import Siding
import SidingChain
import SidingManifest
import SidingSynchronization

/// Delivers writes for a command: words for the person, objects for the script, the exit code for both.
struct WriteDelivery {
    let options: GlobalOptions
    let workspace: Workspace
    let store: SQLiteStore

    /// Sends a write that was just accepted, as far as the line allows.
    func run(_ entry: QueueEntry, on source: Source, sends: Bool, waits: Bool) async throws -> ExitStatus {
        guard sends, !entry.state.isSettled else { return try await tell(entry, ends: entry.state.isSettled || !sends) }
        if !waits, !LinuxConnectivity().hasUsableRoute(to: source.baseURL.host) {
            return try await tell(entry, ends: false)
        }
        try await workspace.checkSecrets()
        return try await withSender { sender in
            if waits {
                try await sender.watch(sources: [source.name], wakingOn: NetworkChanges()) { () throws(StoreError) in
                    let now = try await current(entry)
                    if now.state.isSettled || now.state == .parked { return true }
                    return try await !canGoOn([source.name])
                }
            } else if try await sender.send(entry.id) == nil {
                // Not its turn: what stands before it in its lane may go now.
                _ = try await sender.drain(sources: [source.name])
            }
            return try await tell(current(entry), ends: false)
        }
    }

    /// Sends all that is due, of `sources` or of all.
    ///
    /// - Parameter watches: goes on until nothing is left that could be sent without a person.
    func drain(sources: Set<String>?, watches: Bool) async throws -> ExitStatus {
        try await store.endWaits(of: sources, because: .personAsks)
        return try await withSender { sender in
            let statuses = Statuses()
            let report: @Sendable (QueueEntry) -> Void = { entry in
                statuses.add(entry)
                self.report(entry)
            }
            if watches {
                try await sender.watch(sources: sources, wakingOn: NetworkChanges(), report: report) {
                    () throws(StoreError) in
                    try await !canGoOn(sources)
                }
            } else {
                _ = try await sender.drain(sources: sources, report: report)
            }
            return statuses.combined
        }
    }

    /// Sends what is due of `sources` before something else is done with them; tells nothing in JSON.
    func drainDue(sources: Set<String>) async throws -> ExitStatus {
        // A look at rows is cheaper than a client: most syncs have nothing to send.
        let wantsSignIn = try await !store.sourcesWantingSignIn().isDisjoint(with: sources)
        let hasWork = try await store.hasWork(of: Array(sources))
        guard wantsSignIn || hasWork else { return .success }
        return try await withSender { sender in
            let statuses = Statuses()
            _ = try await sender.drain(sources: sources) { entry in
                statuses.add(entry)
                if !options.json { report(entry) }
            }
            return statuses.combined
        }
    }

    /// Sends these entries now, whatever they wait for.
    func send(_ entries: [QueueEntry]) async throws -> ExitStatus {
        guard !entries.isEmpty else { return .success }
        return try await withSender { sender in
            let statuses = Statuses()
            for entry in entries {
                guard let tried = try await sender.send(entry.id, passesGates: true) else { continue }
                statuses.add(tried)
                report(tried)
            }
            return statuses.combined
        }
    }

    private func current(_ entry: QueueEntry) async throws(StoreError) -> QueueEntry {
        try await store.entries(QueueSelection(ids: [entry.id])).first ?? entry
    }

    /// Whether any write of `sources` can be sent without a person's word. What waits behind a parked one cannot.
    private func canGoOn(_ sources: Set<String>?) async throws(StoreError) -> Bool {
        let names = workspace.manifest.sources.map(\.name).filter { sources?.contains($0) ?? true }
        if try await store.nextDue(of: names) != nil { return true }
        let inHand = QueueSelection(sources: names, states: [.sending], kinds: [.write])
        return try await !store.entries(inHand, limit: 1).isEmpty
    }

    private func withSender(
        _ body: @escaping @Sendable (WriteSender) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let result = try await Network.using { http in
            try await body(
                WriteSender(
                    store: store, sources: workspace.manifest.sources, transports: http, logger: options.logger()))
        }
        return result.stopped ?? result.value
    }

    // MARK: Telling

    private func tell(_ entry: QueueEntry, ends: Bool) async throws -> ExitStatus {
        if options.json {
            let gate = try await store.gates().first { $0.source == entry.source }
            let explanation = QueueExplanation(entry, gate: gate, now: options.words.now)
            Output.line(Shapes.entry(entry, explanation, try await store.history(of: entry.id)).text)
        } else {
            report(entry)
        }
        return ends ? .success : ExitStatus(delivering: entry)
    }

    private func report(_ entry: QueueEntry) {
        if options.json { return Output.line(Shapes.entry(entry).text) }
        let request = "\(entry.shortID) \(entry.method) \(entry.url)"
        switch entry.state {
        case .done: if options.terminal.isOutput || options.verbose > 0 { options.talk("\(request): delivered") }
        case .parked:
            Output.talk("\(request): parked: \(entry.reason?.rawValue ?? ""): \(entry.lastError?.message ?? "")")
            options.talk("    'siding queue show \(entry.shortID)' says what can be done")
        case .queued, .sending:
            options.talk("\(request): queued\(entry.lastError.map { ": \($0.message)" } ?? "")")
        case .dropped: options.talk("\(request): dropped, as it undoes what was not sent yet")
        }
    }
}

/// The exit statuses of the entries that were tried, gathered from several workers: of each, how it was left last.
private final class Statuses: Sendable {
    private let state = Mutex<[String: ExitStatus]>([:])

    func add(_ entry: QueueEntry) { state.withLock { $0[entry.id] = ExitStatus(delivering: entry) } }

    var combined: ExitStatus {
        let statuses = state.withLock { Array($0.values) }
        return ExitStatus.combining(statuses, savedAnything: statuses.contains(.success))
    }
}

extension ExitStatus {
    /// The code of a write that was to be delivered.
    init(delivering entry: QueueEntry) {
        switch (entry.state, entry.reason) {
        case (.done, _): self = .success
        case (.parked, .signIn): self = .signIn
        case (.parked, .rejected), (.parked, .conflict), (.parked, .invalid): self = .refused
        case (.parked, _), (.queued, _), (.sending, _): self = .queued
        // A write that undoes one which was not sent yet goes with it: there is nothing left to do.
        case (.dropped, _): self = .success
        }
    }
}
