// SPDX-License-Identifier: Apache-2.0
/// Durations as people write them, in the config, on the command line and in queries: `500ms`, `1.5s`, `15m`, `7d`.
package enum DurationText {
    package static let examples = "500ms, 30s, 15m, 2h or 7d"
    package static let pattern = "^[0-9]{1,12}(\\.[0-9]{1,6})?(ms|s|m|h|d)$"
    /// Ten years: above them clocks may overflow.
    package static let longest = Duration.seconds(3650 * 86_400)

    private static let units: [String: Int128] = [
        "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000, "d": 86_400_000_000_000,
    ]

    private static let longNames: [String: String] = [
        "millisecond": "ms", "milliseconds": "ms", "msec": "ms", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
        "min": "m", "mins": "m", "minute": "m", "minutes": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
        "day": "d", "days": "d",
    ]

    /// Nil if the text is not a duration from `least` to ten years.
    package static func parse(_ text: String, atLeast least: Duration = .zero) -> Duration? {
        guard let duration = unbounded(text), duration >= least, duration <= longest else { return nil }
        return duration
    }

    /// Whether the text is a duration above ten years.
    package static func isTooLong(_ text: String) -> Bool { unbounded(text).map { $0 > longest } ?? false }

    private static func unbounded(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let unit = units[String(text.dropFirst(number.count))] else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...12).contains(whole.count), parts.count <= 2, let count = Int128(whole)
        else { return nil }
        var nanoseconds = count * unit
        if parts.count == 2 {
            guard (1...6).contains(parts[1].count), let fraction = Int128(parts[1]) else { return nil }
            let scale = (0..<parts[1].count).reduce(Int128(1)) { scale, _ in scale * 10 }
            nanoseconds += fraction * unit / scale
        }
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Duration.seconds(Int64(seconds)) + .nanoseconds(Int64(rest))
    }

    /// `duration` in the largest unit of which it has a whole number, such as `90m`.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(attoseconds / 1_000_000_000)
        for unit in ["d", "h", "m", "s"] {
            if let size = units[unit], nanoseconds % size == 0 { return "\(nanoseconds / size)\(unit)" }
        }
        return "\(nanoseconds / 1_000_000)ms"
    }

    /// A correction such as `30s` for `30`, or `5m` for `5 min`.
    package static func suggestion(_ text: String, atLeast least: Duration = .zero) -> String? {
        let packed = text.lowercased().filter { $0 != " " && $0 != "_" }
        let number = packed.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = String(packed.dropFirst(number.count))
        let candidate = String(number + (unit.isEmpty ? "s" : longNames[unit] ?? unit))
        return candidate != text && parse(candidate, atLeast: least) != nil ? candidate : nil
    }
}
