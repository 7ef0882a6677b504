// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON

/// Texts as `siding init` writes them into a config.
enum YAMLText {
    private static let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    /// `text` as YAML reads it back, in quotes where it needs them, also if a user moves it into braces.
    static func scalar(_ text: String) -> String {
        let isPlain =
            text.wholeMatch(of: /[A-Za-z_\/$][A-Za-z0-9_.\/?=&%~\-]*/) != nil
            || ((try? HTTPURL(text)) != nil && !text.contains { "[]{},#".contains($0) })
        return isPlain && !words.contains(text.lowercased())
            ? text : String(decoding: JSONDocument(string: text).bytes, as: UTF8.self)
    }
}
