// SPDX-License-Identifier: Apache-2.0
/// Makes foreign text safe to print: one line, limited length, no control or bidi characters.
public enum PlainText {
    /// `text` on one line, cut to `limit` characters; control, zero-width and bidi characters become `\u{…}`.
    public static func oneLine(_ text: String, limit: Int) -> String {
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var safe = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return safe + "…" }
            count += 1
            if isHarmless(scalar) {
                safe.unicodeScalars.append(scalar)
            } else if scalar == "\n" || scalar == "\t" || scalar == "\r" {
                safe += " "
            } else {
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return safe
    }

    /// ``oneLine(_:limit:)`` with the default limit of error messages: 500 characters.
    public static func oneLine(_ text: String) -> String { oneLine(text, limit: 500) }

    /// Whether a terminal shows `scalar` as a glyph or space without side effects: no control, line separator, bidirectional,
    /// invisible, private or unassigned character (Unicode Standard, table 4-4).
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7E).contains(scalar.value) { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }
}
