// SPDX-License-Identifier: Apache-2.0
/// Parses when an origin resets its quota.
///
/// The size of a number decides its meaning: below 1,000,000,000 seconds from now, below 100,000,000,000 seconds since 1970,
/// else milliseconds since 1970. Dates are HTTP dates (RFC 9110 §5.6.7) or RFC 3339.
package enum LimitReset {
    /// The shortest wait: an origin that answers "now" would otherwise be asked without end.
    private static let soonest = Duration.seconds(1)

    /// Clamped to between a second and a day from `now`; nil if `value` cannot be parsed.
    package static func moment(_ value: String, now: Timestamp) -> Timestamp? {
        let text = String(value.trimmingPrefix { $0 == " " })
        guard let moment = number(text, now) ?? date(text) else { return nil }
        return min(max(moment, now + soonest), now + RetryAfter.longest)
    }

    private static func number(_ text: String, _ now: Timestamp) -> Timestamp? {
        guard text.utf8.first.map({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) ?? false,
            let number = Double(text), number.isFinite
        else { return nil }
        if number < 1e9 { return Timestamp(secondsSince1970: now.secondsSince1970 + number.rounded(.up)) }
        return Timestamp(secondsSince1970: number < 1e11 ? number.rounded(.up) : number / 1_000)
    }

    private static func date(_ text: String) -> Timestamp? {
        HTTPDate.secondsSince1970(text).map(Timestamp.init(secondsSince1970:)) ?? Timestamp(rfc3339: text)
    }
}
