// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
internal import SidingPaging

/// A range of cursor values on the command line: `A..B`.
struct BackfillArgument: ExpressibleByArgument, Sendable, CustomStringConvertible {
    let backfill: SyncOptions.Backfill

    init?(argument: String) {
        guard let dots = argument.firstRange(of: "..") else { return nil }
        let (from, to) = (argument[..<dots.lowerBound], argument[dots.upperBound...])
        guard !from.isEmpty, !to.isEmpty else { return nil }
        backfill = SyncOptions.Backfill(from: String(from), to: String(to))
    }

    var description: String { "\(backfill.from)..\(backfill.to)" }
}

/// Checks the cursor values of `--since` and `--backfill` against the resources.
enum CursorArguments {
    /// - Throws: ``CommandError`` with code 64 if a resource has no cursor, or one of another type.
    static func check(since: String?, backfill: BackfillArgument?, of resources: [AnyResource]) throws {
        let values = [since, backfill?.backfill.from, backfill?.backfill.to].compactMap(\.self)
        for resource in resources {
            for value in values { try check(value, of: resource) }
            if let backfill { try check(backfill.backfill, of: resource) }
        }
    }

    /// - Throws: ``CommandError`` with code 64 if the range is empty, or if no request can carry its end.
    private static func check(_ backfill: SyncOptions.Backfill, of resource: AnyResource) throws {
        guard let cursor = resource.cursor else { return }
        if !cursor.isOpaque, cursor.isFurther(backfill.from, than: backfill.to) {
            throw CommandError.usage(
                "'\(backfill.from)' comes after '\(backfill.to)' for the cursor of '\(resource.name)'",
                hint: "--backfill \(backfill.to)..\(backfill.from)")
        }
        guard !resource.asksUntil, cursor.order != .ascending else { return }
        throw CommandError.usage(
            "the requests of '\(resource.name)' have no end: a backfill would fetch everything since "
                + "'\(backfill.from)'",
            hint:
                "add the origin's parameter for the end to the query, such as 'until: \"{until}\"'; or use --since \(backfill.from)"
        )
    }

    /// - Throws: ``CommandError`` with code 64 if `value` does not have the type of the resource's cursor.
    static func check(_ value: String, of resource: AnyResource) throws {
        guard let cursor = resource.cursor else {
            throw CommandError.usage("'\(resource.name)' has no cursor", hint: "name the resources that have one")
        }
        guard cursor.type.takes(value) else {
            throw CommandError.usage(
                "'\(value)' is not a valid \(cursor.type.rawValue), the type of the cursor of '\(resource.name)'")
        }
    }
}
