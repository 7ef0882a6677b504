// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_769_843_100_250_000, "2026-01-31T07:05:00.250Z"),
            (1_769_843_100_999_999, "2026-01-31T07:05:00.999Z"), (951_782_399_001_000, "2000-02-28T23:59:59.001Z"),
            (951_868_799_000_999, "2000-02-29T23:59:59.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999_000, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `RFC 3339 is UTC to the millisecond, cut and not rounded`(_ microseconds: Int64, _ text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }

    @Test func `every millisecond is formatted as itself`() {
        let wrong = (0..<1_000).filter { millisecond in
            let moment = Timestamp(microseconds: 1_769_843_100_000_000 + Int64(millisecond) * 1_000)
            return moment.rfc3339 != "2026-01-31T07:05:00.\(String(1_000 + millisecond).dropFirst())Z"
        }
        #expect(wrong == [])
    }

    @Test func `sums and differences end at the storable limits, and never trap`() {
        let (first, last) = (Timestamp(microseconds: .min), Timestamp(microseconds: .max))
        #expect(last + .seconds(1) == last)
        #expect(first + .seconds(-1) == first)
        #expect(Timestamp(microseconds: 0) + .seconds(Int64.max) == last)
        #expect(Timestamp(microseconds: 0) + .seconds(Int64.min) == first)
        #expect(last - first == .microseconds(Int64.max))
        #expect(first - last == .microseconds(Int64.min))
        #expect(Timestamp(microseconds: 5) - Timestamp(microseconds: 7) == .microseconds(-2))
    }

    @Test func `the ends of time have a text too`() {
        #expect(!Timestamp(microseconds: .max).rfc3339.isEmpty)
        #expect(!Timestamp(microseconds: .min).rfc3339.isEmpty)
    }

    @Test func `durations are cut to what fits`() {
        #expect(Duration.seconds(2).wholeMicroseconds == 2_000_000)
        #expect(Duration.microseconds(-3).wholeMicroseconds == -3)
        #expect(Duration.nanoseconds(1_999).wholeMicroseconds == 1)
        let edge = Duration(secondsComponent: 9_223_372_036_854, attosecondsComponent: 999_999_000_000_000_000)
        #expect(edge.wholeMicroseconds == .max)
    }

    @Test(
        arguments: [
            (1.5, 1_500_000), (-0.25, -250_000), (.infinity, .max), (-.infinity, .min), (.nan, 0), (1e300, .max),
        ] as [(Double, Int64)])
    func `seconds of any size become a moment`(_ seconds: Double, _ microseconds: Int64) {
        #expect(Timestamp(secondsSince1970: seconds).microseconds == microseconds)
    }

    @Test func `a moment prints as RFC 3339`() {
        #expect("\(Timestamp(microseconds: 1_700_000_000_250_999))" == "2023-11-14T22:13:20.250Z")
    }

    @Test func `moments are ordered by time`() {
        #expect(Timestamp(microseconds: -1) < Timestamp(microseconds: 0))
    }
}
