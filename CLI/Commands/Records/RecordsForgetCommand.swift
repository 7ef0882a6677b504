import ArgumentParser
import Siding
import SidingJSON

/// `siding records forget RESOURCE`
struct RecordsForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a resource and all its stored data.",
        discussion: """
            Removes its records, views, history, listings, cursors and quarantine from the database, whether or not the \
            config still has the resource. Nothing is sent to the origin; the next sync lists everything again. Fails while \
            the queue has unsettled writes to it.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            let count = try await store.forget(resource: resource)
            if options.json {
                var object = JSONObject()
                object.string("resource", resource)
                object.int("forgotten", count)
                Output.line(object.text)
            } else {
                options.printMessage(
                    "\(PlainText.oneLine(resource)): \(MessageFormat.count(count, "record")) forgotten")
            }
        }
    }
}
