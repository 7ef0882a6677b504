// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct RateLimitTests {
    private static let now = Timestamp(secondsSince1970: 1_700_000_000)

    @Test(arguments: [
        ("30/m", 30, 60, "30/m"), ("5000/h", 5000, 3600, "5000/h"), ("1/s", 1, 1, "1/s"), ("7/d", 7, 86_400, "7/d"),
        ("300/15m", 300, 900, "300/15m"), ("10/60s", 10, 60, "10/m"),
        ("1000000/31d", 1_000_000, 2_678_400, "1000000/31d"),
    ])
    func `a rate is a number and a time`(_ text: String, _ count: Int, _ seconds: Int, _ told: String) throws {
        let rate = try #require(RequestRate(text))
        #expect(rate.count == count && rate.window == .seconds(seconds))
        #expect(rate.description == told)
    }

    @Test(arguments: [
        "", "30", "/m", "30/", "30/x", "30/min", "0/m", "-1/m", "1.5/s", "30/0m", "30/-1m", "30/m/s", "1000001/h",
        "1/32d", "30 /m", "３0/m", "9999999999/m",
    ])
    func `text that is not a rate is refused`(_ text: String) {
        #expect(RequestRate(text) == nil)
    }

    @Test(arguments: [
        ("50MiB/d", 52_428_800, 86_400, "50MiB/d"), ("1024/s", 1_024, 1, "1KiB/s"),
        ("10MB/2h", 10_000_000, 7_200, "10MB/2h"), ("1234B/m", 1_234, 60, "1234B/m"),
        ("2GiB/31d", 2 << 30, 2_678_400, "2GiB/31d"), ("1048576GiB/d", 1 << 50, 86_400, "1048576GiB/d"),
    ])
    func `a rate of bytes is a size and a time`(_ text: String, _ count: Int, _ seconds: Int, _ told: String) throws {
        let rate = try #require(RequestRate(text, unit: .bytes))
        #expect(rate.count == count && rate.window == .seconds(seconds) && rate.unit == .bytes)
        #expect(rate.description == told)
        #expect(RequestRate(told, unit: .bytes) == rate)
    }

    @Test(arguments: [
        "", "50MiB", "MiB/d", "50 MiB/d", "50mib/d", "50TiB/d", "0/d", "-1B/s", "1.5MiB/d", "1048577GiB/d",
        "1MiB/32d",
        "1MiB/day",
    ])
    func `text that is not a rate of bytes is refused`(_ text: String) {
        #expect(RequestRate(text, unit: .bytes) == nil)
        #expect(RequestRate("50MiB/d") == nil)
    }

    @Test(
        arguments: [
            ("30", 30), ("0", 1), ("0.4", 1), ("86400", 86_400), ("999999999", 86_400), ("1700000060", 60),
            ("1700000060.5", 61), ("1600000000", 1), ("1700000060500", 60.5), ("9999999999999", 86_400),
            ("Tue, 14 Nov 2023 22:14:20 GMT", 60), ("2023-11-14T22:14:20Z", 60), (" 30", 30),
            ("soon", nil), ("", nil), ("-5", nil), ("1e999", nil), ("nan", nil),
        ] as [(String, Double?)])
    func `an end is a number by its size, or a date; never now, and never beyond a day`(
        _ text: String, _ seconds: Double?
    ) {
        let moment = LimitReset.moment(text, now: Self.now)
        #expect(moment.map { ($0 - Self.now) / .seconds(1) } == seconds)
    }

    @Test(
        arguments: [
            ("0", "60", 0, 60), ("12", "60", 12, 60), ("-3", "60", 0, 60), ("7", "soon", 7, 30), (" 7", nil, 7, 30),
            ("unlimited", "60", nil, nil), ("", "60", nil, nil), (nil, "60", nil, nil),
        ] as [(String?, String?, Int?, Double?)])
    func `the remaining quota that an origin reports is read`(
        _ remaining: String?, _ reset: String?, _ left: Int?, _ seconds: Double?
    )
        throws
    {
        let names = (HTTPField.Name("X-Left")!, HTTPField.Name("X-Reset")!)
        let limit = try RateLimit("**", "10/30s", remaining: names.0, reset: names.1)
        var fields: HTTPFields = [:]
        fields[names.0] = remaining
        fields[names.1] = reset
        let quota = ReportedQuota(fields, of: limit, now: Self.now)
        #expect(quota?.remaining == left)
        #expect(quota.map { ($0.resetAt - Self.now) / .seconds(1) } == seconds)
    }

    @Test func `a limit has a text for requests, for bytes and for reported quotas`() throws {
        #expect(try RateLimit("**", "30/m").rate == RequestRate("30/m"))
        #expect(try RateLimit("**", "50MiB/d").rate == RequestRate("50MiB/d", unit: .bytes))
        #expect(try RateLimit("**", remaining: HTTPField.Name("X-Left")).rate == nil)
        #expect(throws: Failure.self) { try RateLimit("**") }
    }

    @Test func `a limit that limits nothing is refused`() throws {
        let (all, field) = (try PathPattern("**"), try #require(HTTPField.Name("X-Reset")))
        #expect(throws: Failure.self) { try RateLimit(all, rate: nil) }
        #expect(throws: Failure.self) { try RateLimit(all, rate: RequestRate("1/s"), reset: field) }
        #expect(throws: Failure.self) { try RateLimit("**", "often") }
        let bytes = try #require(RequestRate("1MiB/d", unit: .bytes))
        #expect(throws: Failure.self) { try RateLimit(all, rate: bytes, remaining: field) }
        #expect(throws: Failure.self) { try RateLimit(all, rate: bytes, reset: field) }
        #expect(try RateLimit(all, rate: nil, remaining: field).window == .zero)
    }
}
