// SPDX-License-Identifier: Apache-2.0
import SidingJSON

/// Text of a command line that a user can copy.
enum ShellText {
    /// `text` as a POSIX shell takes it for one word: in single quotes where it needs them. It is one line, as it also stands in
    /// comments of configs: with control characters it is written as `$'two\012lines'` (POSIX.1-2024).
    static func word(_ text: String) -> String {
        if text.unicodeScalars.contains(where: breaksLines) { return "$'\(escaped(text))'" }
        return text.wholeMatch(of: /[A-Za-z0-9_@%+=:,.\/-]+/) == nil ? "'" + text.escaping(["'": "'\\''"]) + "'" : text
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { breaksLines($0) || $0 == "'" || $0 == "\\" ? octal($0) : String($0) }.joined()
    }

    /// YAML ends a comment at each of them, or refuses the file.
    private static func breaksLines(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    /// `\012` for each byte.
    private static func octal(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map { "\\" + String(512 + Int($0), radix: 8).suffix(3) }.joined()
    }
}
