// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingSchedule
import Testing

/// Europe/Berlin skips 2:00 to 3:00 on 2026-03-29 (01:00Z) and repeats it on 2026-10-25 (00:00Z to 02:00Z); America/New_York
/// skips that hour on 2026-03-08 (07:00Z) and repeats 1:00 to 2:00 on 2026-11-01 (05:00Z to 07:00Z); Australia/Sydney skips
/// 2:00 to 3:00 on 2026-10-04 (16:00Z the day before), and repeats it on 2026-04-05 (15:00Z to 17:00Z the day before).
/// Australia/Lord_Howe moves by half an hour only.
@Suite struct DaylightSavingTests {
    @Test(arguments: [
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]),
        ("0,20,40 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]),
        (
            "*/30 1-3 * * *", "Europe/Berlin", "2026-03-29T00:10:00Z",
            ["2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z"]
        ),
        ("30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", ["2026-03-08T07:00Z", "2026-03-09T06:30Z"]),
        ("30 2 * * *", "Australia/Sydney", "2026-10-03T12:00:00Z", ["2026-10-03T16:00Z", "2026-10-04T15:30Z"]),
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z", ["2026-10-03T15:30Z", "2026-10-04T15:15Z"]),
    ])
    func `a time that is skipped comes at the change`(
        _ text: String, _ zone: String, _ start: String, _ expected: [String]
    ) throws {
        #expect(try moments(of: CronSchedule(text, zone: zone), after: start, expected.count) == expected)
    }

    @Test(arguments: [
        ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]),
        ("*/30 2 * * *", "Europe/Berlin", "2026-10-25T00:10:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:00Z"]),
        // From within the second time.
        ("*/30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", ["2026-10-26T01:00Z"]),
        ("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]),
        ("30 2 * * *", "Australia/Sydney", "2026-04-04T12:00:00Z", ["2026-04-04T15:30Z", "2026-04-05T16:30Z"]),
        ("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z", ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]),
    ])
    func `a time that is repeated comes once`(_ text: String, _ zone: String, _ start: String, _ expected: [String])
        throws
    {
        #expect(try moments(of: CronSchedule(text, zone: zone), after: start, expected.count) == expected)
    }

    @Test(arguments: [
        (
            "*/30 * * * *", "Europe/Berlin", "2026-03-29T00:20:00Z",
            ["2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z"]
        ),
        (
            "0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z",
            ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"]
        ),
        (
            "0 */2 * * *", "Europe/Berlin", "2026-03-28T22:30:00Z",
            ["2026-03-28T23:00Z", "2026-03-29T02:00Z", "2026-03-29T04:00Z"]
        ),
        (
            "0 */2 * * *", "Europe/Berlin", "2026-10-24T22:30:00Z",
            ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T03:00Z"]
        ),
        (
            "*/30 * * * *", "America/New_York", "2026-11-01T05:20:00Z",
            ["2026-11-01T05:30Z", "2026-11-01T06:00Z", "2026-11-01T06:30Z"]
        ),
        ("0 * * * *", "Australia/Lord_Howe", "2026-04-04T14:30:00Z", ["2026-04-04T15:30Z", "2026-04-04T16:30Z"]),
    ])
    func `with a star as the hour it continues through real time`(
        _ text: String, _ zone: String, _ start: String, _ expected: [String]
    ) throws {
        #expect(try moments(of: CronSchedule(text, zone: zone), after: start, expected.count) == expected)
    }

    @Test(
        arguments: [
            "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca",
        ],
        ["*/20 * * * *", "0 */3 * * *", "*/20 1-3 * * *", "30 0-4/2 * * *"])
    func `around each change of a year it comes when the clocks of the zone show its time`(
        _ zone: String, _ text: String
    ) throws {
        let (schedule, isOfEveryHour) = (
            try CronSchedule(text, zone: zone), text.split(separator: " ")[1].hasPrefix("*")
        )
        let days = try Self.changes(of: zone)
        #expect(days.count >= 2)
        for day in days {
            let (start, end) = (day + .seconds(-86_400), day + .seconds(2 * 86_400))
            var (found, last): ([Timestamp], Timestamp) = ([], start + .microseconds(-1))
            while case let next = schedule.next(after: last), next < end {
                found.append(next)
                last = next
            }
            #expect(try found == Self.shown(text, zone, isOfEveryHour, from: start, to: end))
            #expect(found.count > 5)
        }
    }

    /// The days of 2026 at whose end the offset is another one than at their beginning.
    private static func changes(of zone: String) throws -> [Timestamp] {
        let start = try moment("2026-01-01T00:00:00Z")
        return try (0..<365).map { start + .seconds(86_400 * $0) }.filter {
            try reading(of: zone, at: $0 + .seconds(86_400)) - reading(of: zone, at: $0) != .seconds(86_400)
        }
    }

    /// What the clocks of a zone show, as if it were UTC.
    private static func reading(of zone: String, at moment: Timestamp) throws -> Timestamp {
        let zone = try #require(TimeZone(identifier: zone))
        return moment + .seconds(zone.secondsFromGMT(for: Date(timeIntervalSince1970: moment.secondsSince1970)))
    }

    /// The moments at which the clocks show a time of the expression for the first time, or jump over one; or each time.
    private static func shown(
        _ text: String, _ zone: String, _ isEachTime: Bool, from start: Timestamp, to end: Timestamp
    ) throws -> [Timestamp] {
        // Without changes of its own.
        let times = try CronSchedule(text, zone: "UTC")
        let step = Duration.seconds(300)
        var (moments, seen, now): ([Timestamp], Timestamp, Timestamp) = (
            [], try reading(of: zone, at: start) + (.zero - step), start
        )
        while now < end {
            let reading = try reading(of: zone, at: now)
            if times.next(after: isEachTime ? reading + (.zero - step) : seen) <= reading { moments.append(now) }
            (seen, now) = (max(seen, reading), now + step)
        }
        return moments
    }
}
