import SidingJSON

/// Text of a command line that a user can copy.
enum ShellText {
    /// `text` as a POSIX shell takes it for one word: in single quotes where it needs them.
    static func word(_ text: String) -> String {
        text.wholeMatch(of: /[A-Za-z0-9_@%+=:,.\/-]+/) == nil ? "'" + text.escaping(["'": "'\\''"]) + "'" : text
    }
}
