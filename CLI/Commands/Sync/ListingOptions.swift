// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding

/// Options that define a listing, shared by `siding sync` and `siding plan`.
struct ListingOptions: ParsableArguments {
    @Flag(help: "Fetch everything again from the first page, without conditional requests.")
    var full = false

    @Option(
        help: ArgumentHelp(
            "Fetch changes after this cursor value; the cursor advances only if nothing is left out.",
            valueName: "value"))
    var since: String?

    @Option(
        help: ArgumentHelp("Fetch changes between two cursor values; the cursor stays.", valueName: "a..b"))
    var backfill: BackfillArgument?

    @Option(help: ArgumentHelp("Stop after N records; checkpoint and validators stay.", valueName: "n"))
    var limit: Int?

    @Flag(
        help:
            "Delete all records that this sync finds missing, however many. Look at the blocked deletions (exit 4) first."
    )
    var acceptDeletes = false

    @Option(
        help: ArgumentHelp("Skip resources that were completed within this time, such as 15m.", valueName: "duration"))
    var maxAge: DurationArgument?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        guard [full, since != nil, backfill != nil].filter(\.self).count < 2 else {
            throw ValidationError("--full, --since and --backfill exclude each other.")
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
    var arguments: [String] {
        let flags: [(String, Bool)] = [
            ("--full", full), ("--accept-deletes", acceptDeletes), ("--limit \(limit ?? 0)", limit != nil),
            ("--since \(since ?? "")", since != nil),
            ("--backfill \(backfill?.description ?? "")", backfill != nil),
        ]
        return flags.filter(\.1).map(\.0)
    }
}
