// SPDX-License-Identifier: Apache-2.0
/// A moment in UTC, and the two date formats that requests use.
package struct UTCDate: Sendable, Hashable {
    private let days: Int
    private let microseconds: Int

    /// The moment, rounded to microseconds; nil outside the years 1 to 9999, which neither format can express.
    package init?(secondsSince1970: Double) {
        let rounded = (secondsSince1970 * 1_000_000).rounded()
        guard rounded >= -62_135_596_800_000_000, rounded < 253_402_300_800_000_000 else { return nil }
        self.init(microseconds: Int64(rounded))
    }

    /// The moment this long after the beginning of 1970.
    package init(microseconds: Int64) {
        let (day, rest) = Int(microseconds).quotientAndRemainder(dividingBy: 86_400_000_000)
        (days, self.microseconds) = rest < 0 ? (day - 1, rest + 86_400_000_000) : (day, rest)
    }

    /// `2026-03-01T09:05:00Z` (RFC 3339 §5.6); milliseconds or microseconds only if there are any.
    package var iso8601: String {
        rfc3339(fractionDigits: microseconds % 1_000_000 == 0 ? 0 : microseconds % 1000 == 0 ? 3 : 6)
    }

    /// RFC 3339 with this many fractional digits, at most six; truncated, not rounded.
    package func rfc3339(fractionDigits: Int) -> String {
        let (year, month, day) = civil
        let digits = Self.digits(microseconds % 1_000_000, 6).prefix(max(fractionDigits, 0))
        let fraction = digits.isEmpty ? "" : ".\(digits)"
        return "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))T\(time)\(fraction)Z"
    }

    /// `Sun, 01 Mar 2026 09:05:00 GMT`, the format of header fields (RFC 9110 §5.6.7); fractions are truncated.
    package var httpDate: String {
        let (year, month, day) = civil
        let weekday = Self.weekdays[((days % 7) + 7) % 7]
        return "\(weekday), \(Self.digits(day, 2)) \(Self.months[month - 1]) \(Self.digits(year, 4)) \(time) GMT"
    }

    private var time: String {
        let seconds = microseconds / 1_000_000
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.digits($0, 2) }.joined(separator: ":")
    }

    /// Year, month and day of the proleptic Gregorian calendar, counted in 400-year eras that begin on 1 March.
    package var civil: (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Days of the proleptic Gregorian calendar, counted in 400-year eras that begin on 1 March.
    package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// How many days a month of the Gregorian calendar has.
    package static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    /// The names that HTTP dates have for them, in order.
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
