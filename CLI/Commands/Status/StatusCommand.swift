import ArgumentParser
import Siding
import SidingChain

/// `siding status`: shows everything on one screen.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how fresh each resource is, what waits, and the last run.",
        discussion:
            "Exits 5 when a resource is older than its max_age or --max-age, or with --strict when anything but 'held' is parked."
    )

    @OptionGroup var options: GlobalOptions
    @Option(help: ArgumentHelp("How old a resource may be.", valueName: "duration")) var maxAge: DurationArgument?
    @Flag(help: "Parked entries count as bad.") var strict = false

    func run() async throws {
        let overview = try await options.withStore { workspace, store in
            try await Overview.gather(workspace, store, maxAge: maxAge?.duration, now: WallClock.system.now)
        }
        if options.json { Output.line(overview.object.text) } else { overview.print(options) }
        if overview.resources.contains(where: \.isStale) || (strict && overview.hasParked) { throw ExitStatus.stale }
    }
}
