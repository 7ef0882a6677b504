// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import ArgumentParser
import Foundation
import Siding
import SidingChain

/// `siding doctor`: checks everything that could keep a sync or a publication from working. It asks no source.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            """
            Check config, database, locks, clock, DNS, route and the databases of 'publish:', and show the last result of each \
            source; send nothing.
            """
    )

    @OptionGroup var options: GlobalOptions

    func run() async throws {
        let findings = await Examination(options: options).findings()
        for finding in findings {
            if options.json {
                Output.line(["check": finding.check, "level": finding.level.rawValue, "message": finding.message])
            } else {
                Output.line(
                    "\(finding.level.rawValue.padding(to: 5)) \(finding.check.padding(to: 11)) \(PlainText.oneLine(finding.message, limit: 4_000))"
                )
            }
        }
        let statuses = findings.compactMap(\.status)
        if !statuses.isEmpty { throw ExitStatus.combining(statuses, savedAnything: false) }
    }
}

/// One result of `siding doctor`.
struct Finding {
    enum Level: String {
        case good = "ok"
        case warning = "warn"
        case bad
    }

    var check: String
    var level: Level
    var message: String
    /// The exit code of a bad finding.
    var status: ExitStatus?
}
