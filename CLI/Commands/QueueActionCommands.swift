import ArgumentParser
import Siding

/// What the commands that change entries have in common.
struct ActionOptions: ParsableArguments {
    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: SelectionOptions
    @Flag(help: "Every entry that is not settled.") var all = false
    @Flag(help: "Say what would be done, and do nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        guard selection.isNarrow || all else {
            throw ValidationError(
                "Name entries by id or by --resource, --source, --lane, --state, --older-than; or say --all.")
        }
    }

    /// The entries that are meant.
    func chosen() throws -> QueueSelection { try selection.selection(now: WallClock.system.now) }

    /// Asks the person at the terminal, where the change cannot be taken back.
    func confirm(_ question: String) throws {
        try Confirmation(options, isGiven: yes || dryRun).ask(question)
    }

    /// Carries `action` out on the `chosen` entries and tells what became of each entry.
    ///
    /// - Returns: the entries that were changed, and the exit status: 1 where all that were meant were refused, 3 where
    ///   some were.
    func perform(
        _ action: QueueAction, on chosen: QueueSelection, of store: SQLiteStore
    ) async throws -> (changed: [QueueEntry], status: ExitStatus) {
        let changes: [QueueChange] =
            dryRun
            ? try await store.entries(chosen).map { QueueChange(entry: $0, refusal: action.refusal(on: $0)) }
            : try await store.perform(action, on: chosen)
        guard !changes.isEmpty else {
            throw CommandError(
                .notFound, "not_found", "no entry is meant by that", hint: "'siding queue list' shows them")
        }
        for change in changes { tell(change, action) }
        let changed = changes.filter { $0.refusal == nil }.map(\.entry)
        if changed.count == changes.count { return (changed, .success) }
        return (changed, changed.isEmpty ? .failure : .partial)
    }

    /// The whole of a command that carries `action` out.
    ///
    /// - Parameter prepare: what comes before it is carried out.
    func run(
        _ action: QueueAction,
        after prepare: (QueueSelection, SQLiteStore) async throws -> Void = { _, _ in }
    ) async throws {
        let status = try await options.withStore(.readWrite) { _, store in
            let chosen = try chosen()
            try await prepare(chosen, store)
            return try await perform(action, on: chosen, of: store).status
        }
        if status != .success { throw status }
    }

    private func tell(_ change: QueueChange, _ action: QueueAction) {
        if options.json {
            var object = Shapes.entry(change.entry)
            object.string("action", action.rawValue)
            object.bool("done", change.refusal == nil && !dryRun)
            object.optional("refusal", change.refusal)
            Output.line(object.text)
        } else if let refusal = change.refusal {
            Output.talk("\(change.entry.shortID): not \(action.past): \(refusal)")
        } else {
            options.talk("\(change.entry.shortID): \(dryRun ? "would be " : "")\(action.past)")
        }
    }
}

extension QueueAction {
    fileprivate var past: String {
        switch self {
        case .retry: "made due"
        case .hold: "held"
        case .release: "released"
        case .drop: "dropped"
        }
    }
}

/// `siding queue hold`
struct QueueHoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Park entries until they are released.")
    @OptionGroup var action: ActionOptions

    func run() async throws {
        try await action.run(.hold)
    }
}

/// `siding queue release`
struct QueueReleaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Let parked entries go on; the next sync or queue run tries them.")
    @OptionGroup var action: ActionOptions

    func run() async throws {
        try await action.run(.release)
    }
}

/// `siding queue drop`
struct QueueDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Give entries up for good; a fetch's listing starts anew at the next sync.")
    @OptionGroup var action: ActionOptions

    func run() async throws {
        try await action.run(.drop) { chosen, store in
            let meant = try await store.entries(chosen)
            if !meant.isEmpty { try action.confirm("dropping \(Words.count(meant.count, "entry", plural: "entries"))") }
        }
    }
}

/// `siding queue purge`
struct QueuePurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Forget entries that are delivered, answered or dropped.",
        discussion: "Siding does so by itself after 30 days. What still waits is never touched.")
    @OptionGroup var options: GlobalOptions
    @Option(help: ArgumentHelp("Only those that were settled longer ago than this.", valueName: "duration"))
    var olderThan: DurationArgument?
    @Flag(help: "Say how many, and do nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            let moment = WallClock.system.now + (.zero - (olderThan?.duration ?? .zero))
            let settled = try await store.entries(QueueSelection(states: [.done, .dropped]))
                .filter { $0.settledAt.map { $0 < moment } ?? false }
            guard !dryRun, !settled.isEmpty else { return tell(settled.count, isDone: false) }
            let count = Words.count(settled.count, "entry", plural: "entries")
            try Confirmation(options, isGiven: yes).ask("forgetting \(count)")
            tell(try await store.purge(settledBefore: moment), isDone: true)
        }
    }

    private func tell(_ count: Int, isDone: Bool) {
        if options.json {
            var object = JSONObject()
            object.int("entries", count)
            object.bool("done", isDone)
            Output.line(object.text)
        } else {
            options.talk(
                "\(Words.count(count, "entry", plural: "entries")) \(isDone ? "forgotten" : "would be forgotten")")
        }
    }
}
