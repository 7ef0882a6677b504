import ArgumentParser
import Foundation
import Logging
import Siding
import SidingChain
import SidingManifest

/// The options that all commands share.
struct GlobalOptions: ParsableArguments {
    @Option(name: [.short, .long], help: ArgumentHelp("The config file.", valueName: "file"))
    var config: String?

    @Flag(help: "One JSON object per line on standard output, for success and failure alike.")
    var json = false

    @Flag(name: [.short, .long], help: "Say nothing but errors.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say more; twice for every request.")
    var verbose: Int

    @Option(help: ArgumentHelp("How log lines look: text or json.", valueName: "format"))
    var logFormat: LogFormat = .text

    @Flag(help: "Absolute times in UTC instead of ages.")
    var utc = false

    @Flag(help: "No colour; NO_COLOR and TERM=dumb say the same.")
    var noColor = false

    enum LogFormat: String, ExpressibleByArgument, CaseIterable {
        case text, json
    }

    var terminal: Terminal { Terminal.current(noColor: noColor) }

    var words: Words { Words(now: WallClock.system.now, isAbsolute: utc) }

    /// Writes a message for the user to standard error, unless `--quiet` is given.
    func talk(_ text: String) {
        if !quiet { Output.talk(text) }
    }

    /// The logger: errors only by default, everything from debug up with `-vv`; writes to standard error.
    func logger() -> Logger {
        var logger = Logger(label: "siding") { _ in LogLine(format: logFormat) }
        logger.logLevel = verbose >= 2 ? .debug : .error
        return logger
    }
}
