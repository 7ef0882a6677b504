import ArgumentParser
import Siding
import SidingJSON

/// `siding records forget RESOURCE`
struct RecordsForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget a resource with everything that is stored of it.",
        discussion: """
            Removes its records, views, history, listings, cursors and quarantine from the file, be it in the config or not. \
            Nothing is sent to the origin; the next sync lists everything again. Refused while writes to it are not settled.
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
                options.talk("\(PlainText.oneLine(resource)): \(Words.count(count, "record")) forgotten")
            }
        }
    }
}
