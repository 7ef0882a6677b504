// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Siding
import SidingChain
import SidingInspection
import SidingJSON

/// `siding records forget RESOURCE`
struct RecordsForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a resource and all its stored data.",
        discussion: """
            Removes its records, views, history, listings, cursors and quarantine from the database, whether or not the \
            config still has the resource, and drops its pages from the queue. Nothing is sent to the origin; the next sync \
            lists everything again. Fails while the queue has open writes to it.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Flag(help: "Show the effect and change nothing.") var dryRun = false
    @Flag(help: "Do not ask.") var yes = false

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            var count = try await store.forget(resource: resource, isRehearsal: true)
            try options.confirm(
                "forgetting \(MessageFormat.count(count, "record")) of '\(PlainText.oneLine(resource))'",
                isGiven: yes || dryRun)
            if !dryRun { count = try await store.forget(resource: resource) }
            if options.json {
                Output.line(["resource": resource, "forgotten": count, "done": !dryRun])
            } else {
                options.printMessage(
                    "\(PlainText.oneLine(resource)): \(MessageFormat.count(count, "record")) "
                        + (dryRun ? "would be forgotten" : "forgotten"))
            }
        }
    }
}
