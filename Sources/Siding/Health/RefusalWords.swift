// SPDX-License-Identifier: Apache-2.0
/// The words of a refusal without the id and the time of its request: else no two refusals would be equal. What may name a record
/// stays.
enum RefusalWords {
    /// The text with a mark in place of each id of a request, and of each time.
    static func withoutIDs(_ text: String) -> String {
        var (result, word, names) = ("", "", [String]())
        let characters = Array(text + " ")
        for (place, character) in characters.enumerated() {
            // `Time:11:00:01` is a name and a time; "Bad Request: x" is not.
            let isNamed =
                character == ":" && word.allSatisfy(\.isLetter) && characters[place...].dropFirst().first != " "
            if isOfWord(character), !isNamed {
                word.append(character)
            } else {
                result += shown(word, behind: names) + String(character)
                if !word.isEmpty { names = names.suffix(1) + [word.lowercased()] }
                word = ""
            }
        }
        return String(result.dropLast())
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_:.+".contains(character))
    }

    /// - Parameter names: the two words before it.
    private static func shown(_ word: String, behind names: [String]) -> String {
        let head = word.lowercased().prefix { $0.isLetter || $0 == "_" }
        let ownName = head.hasSuffix("_") ? head.dropLast() : head
        let isOfRequest = (names + [String(ownName)]).contains(where: ofRequest.contains)
        let isOfTime = names.contains { ofTime.contains($0) } && word.count >= 10 && word.allSatisfy(\.isNumber)
        return isTime(word) || isOfTime || (isOfRequest && isID(word)) ? "…" : word
    }

    private static let ofRequest: Set<String> = [
        "request", "requestid", "request_id", "request-id", "req", "reqid", "req_id", "trace", "traceid", "trace_id",
        "trace-id", "traceparent", "correlation", "correlationid", "correlation_id", "correlation-id", "ray", "rayid",
        "incident", "span", "spanid", "span_id",
    ]
    private static let ofTime: Set<String> = ["timestamp", "time", "ts", "at"]

    /// `2026-11-30T11:00:01.5Z`, `11:00:01`.
    private static func isTime(_ word: String) -> Bool {
        let form = String(word.prefix(11).map { $0.isNumber ? "0" : $0 })
        return form == "0000-00-00T" || form.prefix(8) == "00:00:00"
    }

    /// Letters, digits and their separators, with some digits among them.
    private static func isID(_ word: String) -> Bool { word.count >= 8 && word.count(where: \.isNumber) >= 4 }
}
