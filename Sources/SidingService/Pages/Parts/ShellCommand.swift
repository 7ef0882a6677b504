// SPDX-License-Identifier: Apache-2.0
/// The command that prints what a screen shows, as it is typed.
enum ShellCommand {
    private static let longest = 200
    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,=".unicodeScalars)

    /// Nil for a command with words that nobody would type.
    static func text(_ words: String...) -> String? {
        var words = words
        // A key may look like an option.
        if let first = words.firstIndex(where: { $0.hasPrefix("-") }) { words.insert("--", at: first) }
        let command = (["siding"] + words.map(quoted)).joined(separator: " ")
        return command.utf8.count > longest ? nil : command
    }

    private static func quoted(_ word: String) -> String {
        guard word.isEmpty || !word.unicodeScalars.allSatisfy(plain.contains) else { return word }
        return "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
