// SPDX-License-Identifier: Apache-2.0
internal import Siding

/// Earlier versions of records: `history:`.
enum HistoryGrammar {
    private static let keep = Keyword(
        "keep", .duration, "Versions that were replaced longer ago are removed.")
    private static let versions = Keyword(
        "versions", .integer(1...1_000_000), "The maximum number of earlier versions per record.")

    private static let rules = Shape<HistoryRetention>([keep.entry, versions.entry]) { object, reading in
        HistoryRetention(keep: object.value(keep, &reading), versions: object.value(versions, &reading))
    }

    private static let expected = "true, false, { keep: 90d } or { versions: 20 }"

    /// Nil for `false`: then no versions are kept, as without the key.
    static let type = ValueType<HistoryRetention?>.scalar(
        word.map { isKept, _, _ in .some(isKept ? HistoryRetention() : nil) },
        orMap: rules.type.map { retention, _, _ in retention }, expected)

    /// Like ``ValueType/truth``, but its faults mention the other allowed values.
    private static let word = ValueType<Bool>.scalar(expected, schema: ValueType<Bool>.truth.schema) { text, isPlain in
        switch text.lowercased() {
        case "true" where isPlain: .value(true)
        case "false" where isPlain: .value(false)
        case "yes", "on", "y": .refused(suggestion: "true")
        case "no", "off", "n": .refused(suggestion: "false")
        default: .refused(suggestion: nil)
        }
    }
}
