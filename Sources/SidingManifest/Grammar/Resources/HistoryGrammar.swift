internal import Siding

/// Earlier versions of records: `history:`.
enum HistoryGrammar {
    /// The value of the key; `false` keeps no versions, like a missing key.
    enum Setting: Sendable {
        case off
        case on(HistoryRetention)
    }

    private static let keep = Keyword(
        "keep", .duration, "Versions that were replaced longer ago are removed.")
    private static let versions = Keyword(
        "versions", .integer(1...1_000_000), "The maximum number of earlier versions per record.")

    private static let rules = Shape<HistoryRetention>([keep.entry, versions.entry]) { object, reading in
        HistoryRetention(keep: object.value(keep, &reading), versions: object.value(versions, &reading))
    }

    private static let expected = "true, false, { keep: 90d } or { versions: 20 }"

    static let type = ValueType<Setting>(
        expected, schema: ["anyOf": [ValueType<Bool>.truth.schema, rules.schema()]]
    ) { node, reading in
        switch node.content {
        case .map: return rules.type.read(node, &reading).map(Setting.on)
        case .scalar where !node.isNull:
            return word.read(node, &reading).map { $0 ? .on(HistoryRetention()) : .off }
        default: return reading.refuse(node, expected: expected)
        }
    }

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

extension HistoryGrammar.Setting {
    var retention: HistoryRetention? {
        if case .on(let retention) = self { retention } else { nil }
    }
}
