// SPDX-License-Identifier: Apache-2.0
/// Formats numbers, sizes and times for messages.
package struct MessageFormat {
    package let now: Timestamp
    /// Whether to show absolute times in UTC instead of ages.
    package let isAbsolute: Bool

    package init(now: Timestamp, isAbsolute: Bool) {
        (self.now, self.isAbsolute) = (now, isAbsolute)
    }

    /// Stored moments that are later than this were noted by a clock that was ahead.
    package static let clockTolerance = Duration.seconds(60)

    /// A moment of the past: `12 s ago`, or RFC 3339. One from a clock that was ahead is `9 d in the future`.
    package func time(_ moment: Timestamp) -> String {
        if isAbsolute { return moment.rfc3339 }
        return isOfLaterClock(moment) ? age(moment) : "\(age(moment)) ago"
    }

    /// How old what was stored at `moment` is: `12 s`. What a clock that was ahead stored is `9 d in the future`.
    package func age(_ moment: Timestamp) -> String {
        isOfLaterClock(moment)
            ? "\(Self.duration(moment - now)) in the future" : Self.duration(max(now - moment, .zero))
    }

    private func isOfLaterClock(_ moment: Timestamp) -> Bool { moment > now + Self.clockTolerance }

    /// A moment that is planned: `in 5 min`, or RFC 3339. One that has passed is `12 s ago`.
    package func next(_ moment: Timestamp) -> String {
        moment > now && !isAbsolute ? "in \(Self.duration(moment - now))" : time(moment)
    }

    /// How long something lasts that began at `moment`: `for 5 min`, or `since` the time itself.
    package func span(since moment: Timestamp) -> String {
        isAbsolute || moment > now ? "since \(moment.rfc3339)" : "for \(Self.duration(now - moment))"
    }

    /// A rounded duration in one unit: `850 ms`, `12 s`, `5 min`, `3 h`, `9 d`; `-9 d` for the age of what is in the future.
    package static func duration(_ duration: Duration) -> String {
        guard duration >= .zero else { return "-\(Self.duration(.zero - duration))" }
        let seconds = Double(duration.wholeMicroseconds) / 1_000_000
        switch seconds {
        case ..<1: return "\(Int((seconds * 1000).rounded())) ms"
        case ..<90: return "\(Int(seconds.rounded())) s"
        case ..<5400: return "\(Int((seconds / 60).rounded())) min"
        case ..<172_800: return "\(Int((seconds / 3600).rounded())) h"
        default: return "\(Int((seconds / 86_400).rounded())) d"
        }
    }

    /// A size in binary units: `512 B`, `1.4 MiB`.
    package static func size(_ bytes: Int) -> String { ByteSize.rounded(bytes) }

    /// `1 record`, `12,345 records`; `plural` for nouns that take more than an s.
    package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? noun : plural ?? noun + "s")"
    }

    package static func grouped(_ number: Int) -> String {
        var digits = String(abs(number))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
