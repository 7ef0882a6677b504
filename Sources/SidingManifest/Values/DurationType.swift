extension ValueType where Value == Duration {
    /// A number with a unit, from a millisecond to ten years: `500ms`, `1.5s`, `15m`, `2h`, `7d`.
    static let duration: ValueType = {
        let expected = "a duration such as 500ms, 30s, 15m, 2h or 7d, at least 1ms"
        return .scalar(expected, schema: ["type": "string", "pattern": .string(DurationText.pattern)]) { text, _ in
            guard let duration = DurationText.parse(text), DurationText.range.contains(duration) else {
                return .refused(suggestion: DurationText.suggestion(text))
            }
            return .value(duration)
        }
    }()
}

/// Parses durations of the config.
enum DurationText {
    static let pattern = "^[0-9]{1,12}(\\.[0-9]{1,6})?(ms|s|m|h|d)$"
    /// Above ten years clocks may overflow; zero would mean no limit.
    static let range = Duration.milliseconds(1)...Duration.seconds(3650 * 86_400)

    private static let units: [String: Int128] = [
        "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000, "d": 86_400_000_000_000,
    ]

    private static let longNames: [String: String] = [
        "millisecond": "ms", "milliseconds": "ms", "msec": "ms", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
        "min": "m", "mins": "m", "minute": "m", "minutes": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
        "day": "d", "days": "d",
    ]

    /// Nil if the text is not a duration.
    static func parse(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = units[String(text.dropFirst(number.count))] else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...12).contains(whole.count), parts.count <= 2, let seconds = Int128(whole)
        else {
            return nil
        }
        var nanoseconds = seconds * unit
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count), let fraction = Int128(parts[1]) else { return nil }
            let scale = (0..<parts[1].count).reduce(Int128(1)) { scale, _ in scale * 10 }
            nanoseconds += fraction * unit / scale
        }
        let (whole64, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return .seconds(Int64(whole64)) + .nanoseconds(Int64(rest))
    }

    /// A correction such as `30s` for `30`, or `5m` for `5 min`.
    static func suggestion(_ text: String) -> String? {
        let packed = text.lowercased().filter { $0 != " " && $0 != "_" }
        let number = packed.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = String(packed.dropFirst(number.count))
        let candidate = number + (unit.isEmpty ? "s" : longNames[unit] ?? unit)
        guard candidate != text, let duration = parse(String(candidate)), range.contains(duration) else { return nil }
        return String(candidate)
    }
}
