// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingJSON

/// `siding records why RESOURCE KEY`: prints a record's provenance.
struct RecordsWhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show where a record came from: run, request, page, validators and your own edits.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Argument(help: "The record's key.") var key: String

    func run() async throws {
        try await options.withStore { _, store in
            guard let provenance = try await store.provenance(of: resource, key: key) else {
                throw NotFound.record(key, of: resource)
            }
            if options.json {
                Output.line(ProvenanceShape.object(provenance).text)
            } else {
                print(ProvenanceReport(provenance, options.messageFormat))
            }
        }
    }

    private func print(_ report: ProvenanceReport) {
        var table = Table(["", ""])
        for line in report.lines { table.add([line.name, line.text]) }
        table.print(options.terminal)
    }
}
