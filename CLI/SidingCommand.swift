// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The root command, with one subcommand per job.
struct SidingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "siding",
        abstract: "Fetch remote JSON into SQLite, queue failed requests, and resume interrupted listings.",
        discussion: """
            Start with 'siding init URL', then 'siding sync'. Without a network, 'siding demo' shows the whole tour.

            Exit codes: 0 done, 1 failed otherwise, 3 partly done, 4 deletions blocked until --accept-deletes, \
            5 stale (status), 11 locked, 64 usage, 65 data, 66 not found, 69 refused, 70 a bug, 74 database or file, \
            75 queued for later, 77 sign-in needed, 78 config, 130 and 143 stopped by a signal, 141 output closed.

            Options of all commands but 'demo', whose own help shows the first four:
              -c, --config <file>     The config file.
              --json                  Print one JSON object per line, for failures too.
              -q, --quiet             Print errors only.
              -v, --verbose           Print results without a terminal; -vv prints a line
                                      per request, -vvv its steps.
              --log-format <format>   The format of log lines: text or json.
              --utc                   Print absolute times in UTC instead of ages.
              --no-color              Print without colour, as with NO_COLOR or
                                      TERM=dumb.
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Set up",
                subcommands: [InitCommand.self, ImportCommand.self, CheckCommand.self, DemoCommand.self]),
            CommandGroup(
                name: "Work",
                subcommands: [
                    PlanCommand.self, SyncCommand.self, SendCommand.self, PublishCommand.self, ServeCommand.self,
                ]),
            CommandGroup(
                name: "Inspect",
                subcommands: [
                    StatusCommand.self, RecordsCommand.self, SearchCommand.self, QueryCommand.self, ExportCommand.self,
                    SchemaCommand.self, QuarantineCommand.self, QueueCommand.self, RunsCommand.self, StateCommand.self,
                ]),
            CommandGroup(
                name: "Look after",
                subcommands: [AuthCommand.self, DatabaseCommand.self, DoctorCommand.self, NotifyCommand.self]),
        ])

    @Flag(help: "Show the third-party licences of this executable.")
    var licenses = false

    // Before any subcommand, as `--version` is.
    func validate() throws {
        if licenses { throw CleanExit.message(ThirdPartyLicenses.text) }
    }
}
