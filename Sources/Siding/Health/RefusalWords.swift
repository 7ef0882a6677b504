// SPDX-License-Identifier: Apache-2.0
/// The words of a refusal without ids and times, which may be those of its request: else no two refusals would be equal.
enum RefusalWords {
    /// The text with a mark in place of each id and time.
    static func withoutIDs(_ text: String) -> String {
        var (result, word) = ("", "")
        for character in text {
            if isOfWord(character) {
                word.append(character)
            } else {
                result += shown(word) + String(character)
                word = ""
            }
        }
        return result + shown(word)
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-:.+".contains(character))
    }

    private static func shown(_ word: String) -> String { isTime(word) || isUUID(word) || isID(word) ? "…" : word }

    /// `2026-11-30`, `2026-11-30T11:00:01.5Z`, `11:00:01`, and seconds or milliseconds since 1970.
    private static func isTime(_ word: String) -> Bool {
        let form = String(word.prefix(8).map { $0.isNumber ? "0" : $0 })
        return form.hasPrefix("0000-00-") || form == "00:00:00" || (word.count >= 10 && word.allSatisfy(\.isNumber))
    }

    private static func isUUID(_ word: String) -> Bool {
        word.split(separator: "-", omittingEmptySubsequences: false).map(\.count) == [8, 4, 4, 4, 12]
            && word.allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    /// Letters and digits mixed, of which people make no names.
    private static func isID(_ word: String) -> Bool {
        word.count >= 16 && word.allSatisfy { $0.isLetter || $0.isNumber }
            && word.count(where: \.isNumber) >= 4 && word.contains(where: \.isLetter)
    }
}
