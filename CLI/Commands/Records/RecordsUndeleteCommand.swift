import ArgumentParser
import Siding
import SidingJSON

/// `siding records undelete RUN`: restores the records that a run deleted.
struct RecordsUndeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Take back what a run deleted, as no listing had it any more.",
        discussion: """
            Records that have been written since stay as they are. What was taken back stays until the origin shows it again \
            and then lacks it.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The run's number, as 'siding runs list' shows it.") var id: Int64

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            guard try await store.run(id) != nil else {
                throw try await CommandError.noRun(id, in: store)
            }
            let counts = try await store.undelete(id).sorted { $0.key < $1.key }
            for (resource, count) in counts { tell(resource, count) }
            if counts.isEmpty, !options.json { options.talk("run \(id) deleted nothing that is still deleted") }
        }
    }

    private func tell(_ resource: String, _ count: Int) {
        if options.json {
            var object = JSONObject()
            object.string("resource", resource)
            object.int("undeleted", count)
            Output.line(object.text)
        } else {
            options.talk("\(PlainText.oneLine(resource)): \(Words.count(count, "record")) live again")
        }
    }
}
