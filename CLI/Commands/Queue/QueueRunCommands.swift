import SidingJSON
import ArgumentParser
import Siding
import SidingChain
import SidingManifest

/// `siding queue run`: try what is due.
struct QueueRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Try the entries whose time has come; their listings go on to the end.",
        discussion: "With --watch every write is sent that can be; of the selectors only --source narrows that.")

    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Go on until nothing is left that could be sent without a person; goes with --source alone.")
    var watch = false

    func validate() throws {
        guard watch, selection.narrowsBeyondSources else { return }
        throw ValidationError(
            "--watch sends whatever becomes due: of the selectors only --source goes with it. Leave --watch or them out."
        )
    }

    func run() async throws {
        let status = try await options.withStore(.readWrite) { workspace, store in
            try await workspace.checkSecrets()
            let now = WallClock.system.now
            var chosen = try selection.selection(now: now)
            chosen.dueBy = now
            let isEmpty = try await store.entries(chosen, limit: 1).isEmpty
            // Writes that are due are claimed one by one, however many there are.
            if !selection.isNarrow || watch { chosen.kinds = [.fetch] }
            let due = try await store.entries(chosen)
            let writes = try await deliver(due, WriteDelivery(options: options, workspace: workspace, store: store))
            if let writes, writes.isStop { return writes }
            let fetches = try await QueueDrain(workspace: workspace, store: store, options: options)
                .run(due.filter { $0.kind == .fetch }, "queue run", tellsEmpty: isEmpty)
            return ExitStatus.combining([writes, fetches]) ?? .success
        }
        if status != .success { throw status }
    }

    private func deliver(_ due: [QueueEntry], _ delivery: WriteDelivery) async throws -> ExitStatus? {
        if selection.isNarrow, !watch { return try await delivery.send(due.filter { $0.kind == .write }) }
        return try await delivery.drain(sources: selection.source.isEmpty ? nil : Set(selection.source), watches: watch)
    }
}

/// `siding queue retry`: try these now, due or not, parked or not.
struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try entries now, due or not, parked or not; their count of tries starts again."
    )

    @OptionGroup var action: ActionOptions

    func run() async throws {
        let status = try await action.options.withStore(.readWrite) { workspace, store in
            if !action.dryRun { try await workspace.checkSecrets() }
            let chosen = try action.chosen()
            // A source that asked for patience without leaving an entry is asked again by its name.
            for source in chosen.sources where !action.dryRun { try await store.openGate(ofSource: source) }
            let (changed, status) = try await action.perform(.act(.retry), on: chosen, of: store)
            guard !action.dryRun, !changed.isEmpty else { return status }
            for source in Set(changed.map(\.source)) { try await store.openGate(ofSource: source) }
            let writes = try await WriteDelivery(options: action.options, workspace: workspace, store: store)
                .send(changed.filter { $0.kind == .write })
            if let writes, writes.isStop { return writes }
            let fetches = try await QueueDrain(workspace: workspace, store: store, options: action.options)
                .run(changed.filter { $0.kind == .fetch }, "queue retry", tellsEmpty: false)
            return ExitStatus.combining([writes, fetches, status == .success ? nil : status]) ?? .success
        }
        if status != .success { throw status }
    }
}

/// Tries retained fetches: by the sync of their resources, which goes on at that very page.
struct QueueDrain {
    let workspace: Workspace
    let store: Store
    let options: GlobalOptions

    /// - Returns: nil where there are none.
    func run(_ entries: [QueueEntry], _ command: String, tellsEmpty: Bool) async throws -> ExitStatus? {
        let names = entries.compactMap(\.resource).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        let known = workspace.manifest.resources.filter { names.contains($0.name) }
        let unknown = names.filter { name in !known.contains { $0.name == name } }
        for name in unknown {
            Output.talk(
                "\(PlainText.oneLine(name)): the config has no such resource any more; 'siding queue drop' gives it up")
        }
        if tellsEmpty, options.terminal.isOutput { options.talk("nothing is due") }
        guard !known.isEmpty else { return unknown.isEmpty ? nil : .notFound }
        let status = try await SyncRunner(options: options, workspace: workspace, store: store, isOffline: false)
            .run(known, SyncOptions(), command: command)
        return ExitStatus.combining(
            unknown.isEmpty ? [status] : [status, .notFound], savedAnything: status == .success)
    }
}
