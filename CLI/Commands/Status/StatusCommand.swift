// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingManifest
import SidingInspection
import Siding
import SidingChain

/// `siding status`: shows everything on one screen.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how fresh each resource is, the queue, and the last run.",
        discussion:
            "Exits 5 if a resource is older than its max_age or --max-age, or, with --strict, if the last sync of a resource failed or its deletions are blocked, an entry is parked for another reason than 'held', an entry has been queued or a change unpublished for an hour, or a target of 'publish:' refuses."
    )

    @OptionGroup var options: GlobalOptions
    @Option(help: ArgumentHelp("The maximum age of a resource.", valueName: "duration")) var maxAge: DurationArgument?
    @Flag(help: "Exit 5 also for what fails, is blocked or parked, or has waited for an hour.")
    var strict = false

    func run() async throws {
        let shard = try ShardOption.ofEnvironment()
        let overview = try await options.withStore { workspace, store in
            try await Overview.gather(
                workspace.resources(fetchedBy: shard), targets: workspace.publishedTargets, store,
                maxAge: maxAge?.duration,
                now: WallClock.system.now)
        }
        let needsLook =
            overview.parked > 0 || overview.hasFailure || overview.isQueuedTooLong
            || overview.resources.contains(where: \.hasBlockedDeletions) || overview.hasTargetInNeed
        let isStale = overview.resources.contains(where: \.isStale) || (strict && needsLook)
        if options.json {
            Output.line(overview.object.text)
        } else if isStale || !options.quiet {
            overview.print(options)
        }
        if isStale { throw ExitStatus.stale }
    }
}
