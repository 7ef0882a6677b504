// SPDX-License-Identifier: Apache-2.0
/// Computes a text's width in terminal columns: two for wide East Asian characters and most emoji, none for combining marks
/// (Unicode Standard Annex 11).
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        // A fast path for ASCII: tables can have a hundred thousand lines.
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text.utf8.count : text.reduce(0) { $0 + width($1) }
    }

    /// Shortens `text` to `columns`, with `…` at the end if something was cut.
    static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        var kept = ""
        var used = 1
        for character in text {
            used += width(character)
            guard used <= columns else { break }
            kept.append(character)
        }
        return kept + "…"
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch scalar.value {
        case 0x0300...0x036F, 0x200B...0x200F, 0xFE00...0xFE0F: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
