// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Foundation
import Logging
import Siding
import SidingChain
import SidingManifest

/// The options that all commands share. The help of a command shows the first four, that of `siding` all of them.
struct GlobalOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The config file.", valueName: "file"))
    var config: String?

    @Flag(help: "Print one JSON object per line, for failures too.")
    var json = false

    @Flag(name: [.short, .long], help: "Print errors only.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print results without a terminal; -vv prints a line per request.")
    var verbose: Int

    @Option(help: ArgumentHelp("The format of log lines: text or json.", valueName: "format", visibility: .hidden))
    var logFormat: LogFormat = .text

    @Flag(help: ArgumentHelp("Print absolute times in UTC instead of ages.", visibility: .hidden))
    var utc = false

    @Flag(help: ArgumentHelp("Print without colour, as with NO_COLOR or TERM=dumb.", visibility: .hidden))
    var noColor = false

    enum LogFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    var terminal: Terminal { Terminal.current(noColor: noColor) }

    var messageFormat: MessageFormat { MessageFormat(now: WallClock.system.now, isAbsolute: utc) }

    /// Writes a message for the user to standard error, unless `--quiet` is given.
    func printMessage(_ text: String) {
        if !quiet { Output.printMessage(text) }
    }

    /// The logger, which writes to standard error: everything from `level` up, from debug up with `-vvv`, errors only with
    /// `--quiet`. The lines of `-vv` are those of ``RequestLines``.
    func logger(_ level: Logger.Level = .error) -> Logger {
        var logger = Logger(label: "siding") { _ in LogLine(format: logFormat) }
        logger.logLevel = verbose >= 3 ? .debug : quiet ? .error : level
        return logger
    }
}
