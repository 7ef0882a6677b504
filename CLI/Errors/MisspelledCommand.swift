// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingManifest

/// The subcommand that somebody who mistyped one probably meant. The parser takes it for an argument too many, or finds fault with
/// an option behind it.
enum MisspelledCommand {
    /// - Parameter arguments: those of the process, without its name.
    /// - Returns: nil where the first word that names no subcommand resembles none, or where a command takes words.
    static func suggestion(
        for arguments: [String], of root: any ParsableCommand.Type = SidingCommand.self
    ) -> String? {
        var command = root
        for word in arguments where !word.hasPrefix("-") {
            let children = command.configuration.subcommands
            if children.isEmpty { return nil }
            guard let child = children.first(where: { $0.configuration.commandName == word }) else {
                return Suggestion.nearest(to: word, among: children.compactMap { $0.configuration.commandName })
            }
            command = child
        }
        return nil
    }
}
