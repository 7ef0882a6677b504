// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

extension ValueType where Value == Duration {
    /// A number with a unit, from a millisecond to ten years; zero would mean no limit.
    static let duration = span("a duration such as \(DurationText.examples), at least 1ms", atLeast: .milliseconds(1))

    /// A duration of `least` or more.
    ///
    /// - Parameter suggestion: what another text stands for that may be meant; nil looks for a duration in it.
    static func span(
        _ expected: String, atLeast least: Duration, suggestion: @escaping @Sendable (String) -> String? = { _ in nil }
    ) -> ValueType {
        .scalar(expected, schema: ["type": "string", "pattern": .string(DurationText.pattern)]) { text, _ in
            if let duration = DurationText.parse(text, atLeast: least) { return .value(duration) }
            return .noDuration(text, atLeast: least, suggestion: suggestion(text))
        }
    }
}

extension ScalarReading {
    /// For a text that is no duration from `least` to ten years.
    static func noDuration(_ text: String, atLeast least: Duration, suggestion: String? = nil) -> ScalarReading {
        if DurationText.isTooLong(text) {
            return .refused(suggestion: nil, expected: "at most \(DurationText.text(DurationText.longest))")
        }
        return .refused(suggestion: suggestion ?? DurationText.suggestion(text, atLeast: least))
    }
}
