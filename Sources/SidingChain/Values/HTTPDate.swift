// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import SidingSynchronization

/// Formats HTTP dates, and parses the three forms that RFC 9110 §5.6.7 requires recipients to accept.
package enum HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`, fractions truncated; nil outside the years 1 to 9999, which this form cannot express.
    package static func text(_ secondsSince1970: Double) -> String? {
        UTCDate(secondsSince1970: secondsSince1970)?.httpDate
    }

    /// Seconds since 1970 UTC; nil if `text` is not an HTTP date.
    package static func secondsSince1970(_ text: String) -> Double? {
        let fields = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        let parts: (day: String, month: String, year: String, time: String)
        switch fields.count {
        // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT; PHP and others write the zone in numbers.
        case 6 where ["GMT", "UTC", "UT", "+0000", "0000"].contains(fields[5]):
            parts = (fields[1], fields[2], fields[3], fields[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            parts = (fields[2], fields[1], fields[4], fields[3])
        default:
            return nil
        }
        let clock = parts.time.split(separator: ":").map { Int($0) ?? -1 }
        guard let day = Int(parts.day), let month = UTCDate.months.firstIndex(of: parts.month),
            var year = Int(parts.year),
            clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]),
            (1...31).contains(day), (0...9999).contains(year)
        else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let days = UTCDate.daysSince1970(year: year, month: month + 1, day: day)
        return Double(((days * 24 + clock[0]) * 60 + clock[1]) * 60 + clock[2])
    }
}
