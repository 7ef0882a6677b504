/// Makes foreign text safe to show to a person: one line, bounded, no control or direction characters.
public enum PlainText {
    /// `text` on one line, cut to `limit` characters, with control, zero-width and bidi characters as `\u{…}`.
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

    /// ``oneLine(_:limit:)`` with the limit that failures use: 500 characters.
    public static func oneLine(_ text: String) -> String { oneLine(text, limit: 500) }

    /// Whether a terminal shows `scalar` as a glyph or a space and does nothing else with it: no control, line separator,
    /// bidirectional, invisible, private or unassigned character (Unicode Standard, table 4-4).
    public static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        if (0x20...0x7E).contains(scalar.value) { return true }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: return false
        default: return true
        }
    }
}
