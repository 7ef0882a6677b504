// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingManifest

/// `siding sync`: sends due writes, then fetches and saves resources.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Fetch and save records; resume where the last sync stopped.",
        discussion: """
            Due writes to a source are sent before its resources are fetched. A page that cannot be fetched stays in the queue (exit 75), and the \
            next sync fetches that page first.
            Prints nothing if all is well and standard output is not a terminal.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources; all of them by default.") var resources: [String] = []

    @OptionGroup var listing: ListingOptions

    @Option(help: ArgumentHelp("Wait this long for a resource that another run holds.", valueName: "duration"))
    var waitLock: DurationArgument?

    @Option(
        help: ArgumentHelp(
            "Request no further page once the network has carried this much, such as 2MiB (exit 75).",
            valueName: "size"))
    var maxBytes: SizeArgument?

    @Flag(help: "Do not keep a failed page in the queue.") var noQueue = false
    @Flag(
        name: [.long, .customLong("no-send")],
        help: "Send nothing: queue the requests, and apply config changes.") var offline = false
    @Flag(help: "Ask at once, although an origin asked for a wait or a source was found failing.") var now = false
    @Flag(help: "Stop at the first failure.") var failFast = false
    @Flag(help: "Sync only resources that failed or were queued the last time.") var failed = false
    @OptionGroup var shard: ShardOption
    @OptionGroup var metrics: MetricsFileOption

    func validate() throws {
        if now, offline { throw ValidationError("--now asks, and --offline does not: they exclude each other.") }
    }

    func run() async throws {
        let shard = try shard.value()
        try await metrics.written(for: options, shard) { try await sync(shard) }
    }

    private func sync(_ shard: Shard?) async throws {
        let workspace = try Workspace.load(options)
        let named = try workspace.resources(named: resources)
        try listing.check(against: named)
        // One meter for the whole command: the own writes that are sent first count for --max-bytes.
        let status = try await TrafficMeter().counting { () async throws in
            try await workspace.withStore(.readWriteCreate) { store in
                try await workspace.notifying(store, isOffline: offline) {
                    try await sync(named, shard, workspace, store)
                }
            }
        }
        if status != .success { throw status }
    }

    private func sync(
        _ named: [AnyResource], _ shard: Shard?, _ workspace: Workspace, _ store: Store
    ) async throws -> ExitStatus {
        let chosen = failed ? try await onlyFailed(named, store) : named
        let sendsOnly = workspace.config.resources.isEmpty && !failed
        guard sendsOnly || !chosen.isEmpty else {
            if options.terminal.isOutput { options.printMessage("no resource failed in its last sync") }
            return .success
        }
        let delivery = WriteDelivery(options: options, workspace: workspace, store: store)
        let sources = Set((sendsOnly ? workspace.config.sources : chosen.map(\.source)).map(\.name))
        if now { try await store.endAllWaits(of: sources) }
        if sendsWrites { try await delivery.tellMissingSecrets(sources) }
        guard !sendsOnly else {
            if sendsWrites, let stop = try await delivery.drainDue(sources: sources) { return stop }
            try await delivery.tellParked()
            try await delivery.tellWaiting(dueOf: sendsWrites ? sources : [])
            return delivery.status ?? .success
        }
        var runner = SyncRunner(options: options, workspace: workspace, store: store, isOffline: offline)
        runner.shard = shard
        let fetches = try await runner.run(
            chosen, syncOptions, command: command(shard), sending: sendsWrites ? delivery : nil)
        // Every run parks expired writes, even one that sends nothing.
        try await delivery.tellParked()
        try await delivery.tellWaiting(dueOf: sendsWrites ? sources : [])
        let writes = delivery.status ?? .success
        return writes == .success
            ? fetches : ExitStatus.combining([writes, fetches], savedAnything: fetches == .success)
    }

    /// Whether the user's own writes are sent, so that the fetched records include them.
    private var sendsWrites: Bool { !offline && !noQueue && listing.limit == nil }

    /// The command line as the list of runs shows it.
    private func command(_ shard: Shard?) -> String {
        let flags: [(String, Bool)] = [
            ("--shard \(shard?.description ?? "")", shard != nil),
            ("--max-bytes \(ByteSize.exact(maxBytes?.bytes ?? 0))", maxBytes != nil), ("--no-queue", noQueue),
            ("--offline", offline), ("--now", now), ("--failed", failed),
        ]
        return (["sync"] + listing.arguments + flags.filter(\.1).map(\.0) + resources).joined(separator: " ")
    }

    private var syncOptions: SyncOptions {
        var options = listing.syncOptions
        options.retains = !noQueue
        options.maxBytes = maxBytes?.bytes
        options.lockWait = waitLock?.duration ?? .zero
        options.failsFast = failFast
        return options
    }

    /// The resources whose newest sync that was not skipped was no success.
    private func onlyFailed(_ resources: [AnyResource], _ store: Store) async throws -> [AnyResource] {
        let outcomes = try await store.newestOutcomes(of: resources.map(\.name))
        return resources.filter { !(outcomes[$0.name]?.isSuccess ?? true) }
    }
}
