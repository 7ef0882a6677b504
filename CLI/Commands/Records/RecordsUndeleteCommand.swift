// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingJSON

/// `siding records undelete RUN`: restores the records that a run deleted.
struct RecordsUndeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undelete", abstract: "Restore records that a run deleted.",
        discussion: """
            Records that were written since are not changed. A restored record counts as missing again only after a page \
            has shown it.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The run's number, as 'siding runs list' shows it.") var id: Int64

    func run() async throws {
        try await options.withStore(.readWrite) { _, store in
            guard try await store.run(id) != nil else {
                throw try await NotFound.run(id, in: store)
            }
            let counts = try await store.undelete(id).sorted { $0.key < $1.key }
            for (resource, count) in counts { tell(resource, count) }
            let removed = try await store.removedDeletions(of: id)
            guard removed == 0 else { throw NotFound.removed(removed, by: id) }
            if counts.isEmpty, !options.json { options.printMessage("run \(id) deleted nothing that is still deleted") }
        }
    }

    private func tell(_ resource: String, _ count: Int) {
        if options.json {
            Output.line(["resource": resource, "undeleted": count])
        } else {
            options.printMessage("\(PlainText.oneLine(resource)): \(MessageFormat.count(count, "record")) restored")
        }
    }
}
