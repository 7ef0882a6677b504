import ArgumentParser
import Siding

/// Options that define a listing, shared by `siding sync` and `siding plan`.
struct ListingOptions: ParsableArguments {
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

    @Option(help: ArgumentHelp("Stop after N records; checkpoint and validators are left alone.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Delete as many records as are gone: after a look at what was withheld (exit 4).")
    var acceptDeletes = false

    @Option(help: ArgumentHelp("Skip what was completed within this long, such as 15m.", valueName: "duration"))
    var maxAge: DurationArgument?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1.") }
        guard [full, since != nil, backfill != nil].filter(\.self).count < 2 else {
            throw ValidationError("--full, --since and --backfill are three ways to begin: say one.")
        }
    }

    /// - Throws: ``CommandError`` with code 64 if a value does not fit a resource's cursor.
    func check(against resources: [AnyResource]) throws {
        try CursorArguments.check(since: since, backfill: backfill, of: resources)
    }

    var syncOptions: SyncOptions {
        var options = SyncOptions(isFull: full, limit: limit, since: since, backfill: backfill?.backfill)
        options.acceptsDeletes = acceptDeletes
        options.maxAge = maxAge?.duration
        return options
    }

    /// The options as text, for the run's command.
    var words: [String] {
        let flags: [(String, Bool)] = [
            ("--full", full), ("--accept-deletes", acceptDeletes), ("--limit \(limit ?? 0)", limit != nil),
            ("--since \(since ?? "")", since != nil),
            ("--backfill \(backfill?.description ?? "")", backfill != nil),
        ]
        return flags.filter(\.1).map(\.0)
    }
}
