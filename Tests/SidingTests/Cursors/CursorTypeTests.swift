// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingPaging
import Testing

@testable import Siding

@Suite struct TimestampReadingTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T23:59:59Z", 1_709_251_199_000_000),
            ("2024-05-01T12:00:00.25Z", 1_714_564_800_250_000), ("2024-05-01T14:00:00+02:00", 1_714_564_800_000_000),
            ("2024-05-01T05:30:00-0630", 1_714_564_800_000_000), ("2024-05-01 12:00:00", 1_714_564_800_000_000),
            ("2024-05-01", 1_714_521_600_000_000), ("2024-05-01T12:00:00.1234567891Z", 1_714_564_800_123_456),
            ("1969-12-31T23:59:59.5Z", -500_000), ("2024-05-01T12:00Z", 1_714_564_800_000_000),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ] as [(String, Int64)])
    func `a moment is read to the microsecond`(_ text: String, _ microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "2024", "2024-13-01", "2023-02-29", "2024-05-01T", "2024-05-01T25:00:00Z", "2024-05-01T12:00:00.Z",
        "2024-05-01T12:00:00Zx", "2024-05-01T12:00:00+2", "24-05-01", "2024-05-01T12:60:00Z", "yesterday",
    ])
    func `text that is not a moment is not read as one`(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(arguments: [(0, "2024-05-01T12:00:00Z"), (3, "2024-05-01T12:00:00.123Z"), (6, "2024-05-01T12:00:00.123456Z")])
    func `a moment is written with the requested digits, cut`(_ digits: Int, _ text: String) {
        let moment = Timestamp(microseconds: 1_714_564_800_123_456)
        #expect(moment.rfc3339(fractionDigits: digits) == text)
    }

    @Test func `a fraction before 1970 is written as it is read`() throws {
        let moment = try #require(Timestamp(rfc3339: "1969-12-31T23:59:59.250Z"))
        #expect(moment.rfc3339(fractionDigits: 3) == "1969-12-31T23:59:59.250Z")
    }
}

@Suite struct CursorTypeTests {
    private func cursor(
        _ type: CursorType, _ lookback: IncrementalCursor.Lookback? = nil,
        _ direction: IncrementalCursor.Direction = .max, format: CursorType? = nil
    ) -> IncrementalCursor {
        IncrementalCursor(at: .header(.date), type: type, direction: direction, lookback: lookback, format: format)
    }

    @Test(arguments: [
        (CursorType.datetime, "2024-05-01T12:00:00+02:00", "2024-05-01T11:00:00Z"),
        (.date, "2024-05-01", "2024-05-02"), (.epoch, "999", "1000"), (.epochMilliseconds, "999", "1000"),
        (.integer, "99999999999999999999", "100000000000000000000"), (.integer, "-5", "3"), (.integer, "-50", "-5"),
        (.integer, "007", "8"), (.text, "Z", "a"),
    ])
    func `the further of two values is known by their type, not by their text`(
        _ type: CursorType, _ less: String, _ more: String
    ) {
        let rule = cursor(type)
        #expect(rule.further(less, more) == more && rule.further(more, less) == more)
        let reversed = cursor(type, nil, .min)
        #expect(reversed.further(less, more) == less && reversed.further(more, less) == less)
        #expect(!rule.isFurther(less, than: less))
    }

    @Test(arguments: [
        (
            CursorType.datetime, "2024-05-01T12:00:00.500Z", IncrementalCursor.Lookback.time(.seconds(600)),
            "2024-05-01T11:50:00.500Z"
        ),
        (.datetime, "2024-05-01T12:00:00+02:00", .time(.seconds(60)), "2024-05-01T09:59:00Z"),
        (.date, "2024-03-01", .time(.seconds(86_400)), "2024-02-29"), (.epoch, "1000", .time(.seconds(1)), "999"),
        (.epochMilliseconds, "1000", .time(.milliseconds(1)), "999"), (.integer, "100", .count(7), "93"),
        (.integer, "999999999999999999999999999", .count(5), "999999999999999999999999994"),
        (.integer, "10000000000000000000000", .count(1), "9999999999999999999999"),
        (.integer, "-9223372036854775808", .count(9), "-9223372036854775817"), (.integer, "3", .count(7), "-4"),
        (.integer, "-3", .count(7), "-10"), (.integer, "0", .count(7), "-7"), (.integer, "7", .count(7), "0"),
        (.integer, "007", .count(0), "7"), (.integer, "5", .count(-7), "12"), (.integer, "-5", .count(-7), "2"),
    ])
    func `a lookback steps back in the form of the value`(
        _ type: CursorType, _ value: String, _ step: IncrementalCursor.Lookback, _ wanted: String
    ) {
        #expect(cursor(type, step).minusLookback(value) == wanted)
    }

    @Test func `a lookback of a cursor that counts down steps up`() {
        #expect(cursor(.integer, .count(7), .min).minusLookback("100") == "107")
        #expect(cursor(.integer, .count(7), .min).minusLookback("9223372036854775807") == "9223372036854775814")
        #expect(cursor(.integer, .count(7), .min).minusLookback("-3") == "4")
    }

    @Test(arguments: [
        (CursorType.epoch, "1714564800"), (.epochMilliseconds, "1714564800123"), (.date, "2024-05-01"),
        (.datetime, "2024-05-01T12:00:00.123Z"),
    ])
    func `a moment is written in requests as the origin wants it`(_ format: CursorType, _ wanted: String) {
        #expect(cursor(.datetime, format: format).written("2024-05-01T12:00:00.123Z") == wanted)
    }

    @Test func `seconds become a date and time`() {
        #expect(cursor(.epoch, format: .datetime).written("1714564800") == "2024-05-01T12:00:00Z")
    }
}
