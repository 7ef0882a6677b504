// SPDX-License-Identifier: Apache-2.0
/// Converts durations of ISO 8601, such as `P1D` and `PT15M`.
enum AirbyteDuration {
    /// Nil if it is not a duration or zero. A month has 30 days, a year 365.
    static func text(_ text: String) -> String? {
        let pattern =
            /P(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?/
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
        let output = match.output
        let days = number(output.1) * 365 + number(output.2) * 30 + number(output.3) * 7 + number(output.4)
        let seconds = days * 86_400 + number(output.5) * 3_600 + number(output.6) * 60 + number(output.7)
        guard seconds > 0 else { return nil }
        for (unit, length) in [("d", 86_400), ("h", 3_600), ("m", 60)] where seconds % length == 0 {
            return "\(seconds / length)\(unit)"
        }
        return "\(seconds)s"
    }
}
