// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import SidingSQLite

/// The entry point: parses the arguments, runs the command and reports its error.
@main
enum Main {
    static func main() async {
        Signals.holdStandardFiles()
        Signals.ignoreBrokenPipes()
        ProcessMemory.tune()
        guard let arguments = ProgramArguments.words else {
            Output.printMessage("siding: the arguments cannot be read, as /proc is not mounted: mount it")
            Foundation.exit(ExitStatus.inputOutput.rawValue)
        }
        let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        do {
            var command = try SidingCommand.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            Output.flush()
        } catch {
            Output.flush()
            Foundation.exit(ErrorReport(error: error, isJSON: isJSON).print())
        }
    }
}
