import ArgumentParser
import Siding
import SidingChain

/// `siding sync`: the main job.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Fetch and save, going on where the last sync stopped.",
        discussion: """
            Writes that wait for the sources are sent first. A page that could not be had is kept in the queue (exit 75); \
            the next sync asks for that very page first.
            Silent when all is well and standard output is not a terminal.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources; all of them by default.") var resources: [String] = []

    @Flag(help: "Ask for everything again, without conditions, from the first page.")
    var full = false

    @Option(
        help: ArgumentHelp(
            "Ask for what changed since this value of the cursor; it moves on only where nothing is left out.",
            valueName: "value"))
    var since: String?

    @Option(
        help: ArgumentHelp("Ask for what changed between two values of the cursor, which stays.", valueName: "a..b"))
    var backfill: BackfillArgument?

    @Option(help: ArgumentHelp("End after so many records; checkpoint and validators are left alone.", valueName: "n"))
    var limit: Int?

    @Option(help: ArgumentHelp("Skip what was completed within this long, such as 15m.", valueName: "duration"))
    var maxAge: DurationArgument?

    @Option(help: ArgumentHelp("Wait this long for a resource that another run holds.", valueName: "duration"))
    var waitLock: DurationArgument?

    @Flag(help: "Delete as many records as are gone: after a look at what was withheld (exit 4).")
    var acceptDeletes = false

    @Flag(help: "Do not keep a failed page in the queue.") var noQueue = false
    @Flag(help: "No network at all: what would be asked is queued.") var offline = false
    @Flag(help: "End at the first failure.") var failFast = false
    @Flag(help: "Only what failed or was queued the last time.") var failed = false

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1.") }
        guard [full, since != nil, backfill != nil].filter(\.self).count < 2 else {
            throw ValidationError("--full, --since and --backfill are three ways to begin: say one.")
        }
    }

    func run() async throws {
        let workspace = try Workspace.load(options)
        let named = try workspace.resources(named: resources)
        try CursorArguments.check(since: since, backfill: backfill, of: named)
        if !offline { try await workspace.checkSecrets() }
        let status = try await workspace.withStore(.readWriteCreate) { store in
            let chosen = failed ? try await onlyFailed(named, store) : named
            guard !chosen.isEmpty else {
                if options.terminal.isOutput { options.talk("nothing failed the last time") }
                return ExitStatus.success
            }
            let delivery = WriteDelivery(options: options, workspace: workspace, store: store)
            if let stop = try await deliver(chosen, delivery) { return stop }
            let fetches = try await SyncRunner(options: options, workspace: workspace, store: store, isOffline: offline)
                .run(chosen, syncOptions, command: command)
            // Each run parks what has expired, even one that sends nothing.
            try await delivery.tellParked()
            let writes = delivery.status ?? .success
            return writes == .success
                ? fetches : ExitStatus.combining([writes, fetches], savedAnything: fetches == .success)
        }
        if status != .success { throw status }
    }

    /// The person's own writes go first: what is fetched then holds them.
    ///
    /// - Returns: the code where a signal ended it.
    private func deliver(_ resources: [AnyResource], _ delivery: WriteDelivery) async throws -> ExitStatus? {
        guard !offline, !noQueue, limit == nil else { return nil }
        return try await delivery.drainDue(sources: Set(resources.map(\.source.name)))
    }

    /// What was asked for, as the history tells it.
    private var command: String {
        let flags: [(String, Bool)] = [
            ("--full", full), ("--no-queue", noQueue), ("--offline", offline), ("--failed", failed),
            ("--accept-deletes", acceptDeletes),
            ("--limit \(limit ?? 0)", limit != nil), ("--since \(since ?? "")", since != nil),
            ("--backfill \(backfill?.description ?? "")", backfill != nil),
        ]
        return (["sync"] + flags.filter(\.1).map(\.0) + resources).joined(separator: " ")
    }

    private var syncOptions: SyncOptions {
        var options = SyncOptions(
            isFull: full, limit: limit, since: since, backfill: backfill?.backfill, retains: !noQueue,
            maxAge: maxAge?.duration,
            lockWait: waitLock?.duration ?? .zero, failsFast: failFast)
        options.acceptsDeletes = acceptDeletes
        return options
    }

    /// The resources whose newest outcome was no success.
    private func onlyFailed(_ resources: [AnyResource], _ store: SQLiteStore) async throws -> [AnyResource] {
        var newest: [String: RunOutcome] = [:]
        for run in try await store.runs(limit: 100) {
            for line in run.resources where newest[line.resource] == nil {
                newest[line.resource] = line.outcome ?? .interrupted
            }
        }
        return resources.filter { [.failed, .queued, .partial, .interrupted].contains(newest[$0.name]) }
    }
}
