// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingSchedule
import Testing

@Suite struct CronScheduleTests {
    @Test(arguments: [
        // 2026-01-31 is a Saturday.
        ("* * * * *", ["2026-01-31T12:01Z", "2026-01-31T12:02Z"]),
        ("*/15 * * * *", ["2026-01-31T12:15Z", "2026-01-31T12:30Z", "2026-01-31T12:45Z", "2026-01-31T13:00Z"]),
        (
            "5,35 6-22/8 * * *",
            ["2026-01-31T14:05Z", "2026-01-31T14:35Z", "2026-01-31T22:05Z", "2026-01-31T22:35Z"]
        ),
        ("0 12 * * *", ["2026-02-01T12:00Z", "2026-02-02T12:00Z"]),
        ("0 6 * * mon-fri", ["2026-02-02T06:00Z", "2026-02-03T06:00Z"]),
        ("0 6 * * 1-5/2", ["2026-02-02T06:00Z", "2026-02-04T06:00Z", "2026-02-06T06:00Z", "2026-02-09T06:00Z"]),
        ("0 6 * * 0", ["2026-02-01T06:00Z", "2026-02-08T06:00Z"]),
        ("0 6 * * 7", ["2026-02-01T06:00Z", "2026-02-08T06:00Z"]),
        ("0 6 * * Fri-SUN", ["2026-02-01T06:00Z", "2026-02-06T06:00Z", "2026-02-07T06:00Z", "2026-02-08T06:00Z"]),
        ("0 0 31 * *", ["2026-03-31T00:00Z", "2026-05-31T00:00Z", "2026-07-31T00:00Z"]),
        ("0 0 1 JAN,jul *", ["2026-07-01T00:00Z", "2027-01-01T00:00Z"]),
        ("0 0 29 2 *", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]),
        // Both kinds of days are restricted: either matches.
        ("0 0 13 * fri", ["2026-02-06T00:00Z", "2026-02-13T00:00Z", "2026-02-20T00:00Z"]),
        // A star with a step counts as unrestricted: both have to match.
        ("0 0 */10 * fri", ["2026-05-01T00:00Z", "2026-07-31T00:00Z"]),
        ("0 0 13 * */5", ["2026-02-13T00:00Z", "2026-03-13T00:00Z", "2026-09-13T00:00Z"]),
        ("@hourly", ["2026-01-31T13:00Z", "2026-01-31T14:00Z"]),
        ("@daily", ["2026-02-01T00:00Z", "2026-02-02T00:00Z"]),
        ("@weekly", ["2026-02-01T00:00Z", "2026-02-08T00:00Z"]),
        ("@monthly", ["2026-02-01T00:00Z", "2026-03-01T00:00Z"]),
        ("@yearly", ["2027-01-01T00:00Z", "2028-01-01T00:00Z"]),
        ("  0\t12  * * * ", ["2026-02-01T12:00Z"]),
    ])
    func `an expression is due at the moments of crontab(5)`(_ text: String, _ expected: [String]) throws {
        let schedule = try CronSchedule(text, zone: "UTC")
        #expect(try moments(of: schedule, after: "2026-01-31T12:00:00Z", expected.count) == expected)
    }

    @Test(arguments: [
        ("2026-01-31T11:59:59Z", 0, "2026-01-31T12:00Z"), ("2026-01-31T11:59:59Z", 999_999, "2026-01-31T12:00Z"),
        ("2026-01-31T12:00:00Z", 0, "2026-01-31T12:30Z"), ("2026-01-31T12:00:00Z", 1, "2026-01-31T12:30Z"),
    ])
    func `the next moment comes after the last one, seconds and their parts included`(
        _ second: String, _ microseconds: Int64, _ expected: String
    ) throws {
        let schedule = try CronSchedule("*/30 * * * *", zone: "UTC")
        let last = try moment(second) + .microseconds(microseconds)
        #expect(schedule.next(after: last) == (try moment(expected.replacing("Z", with: ":00Z"))))
    }

    @Test(
        arguments: [
            ("* * * * *", 1), ("*/15 * * * *", 15), ("*/7 * * * *", 4), ("5,35 6-22/8 * * *", 30),
            ("0 22,2 * * *", 240),
            ("0 6,7 * * mon", 60), ("@hourly", 60), ("@daily", 1_440), ("0 6 * * mon,thu", 3 * 1_440),
            ("0 0,23 1 * *", 23 * 60), ("@monthly", 28 * 1_440), ("@yearly", 365 * 1_440),
            ("0 0 29 2 *", 1_461 * 1_440),
            ("0 0 13 * fri", 1_440),
        ] as [(String, Int)])
    func `the shortest time between two moments of an expression is known`(_ text: String, _ minutes: Int) throws {
        #expect(try CronSchedule(text).shortestInterval == .seconds(minutes * 60))
    }

    @Test func `without a zone the machine's clock counts, as with cron`() throws {
        let (here, named) = try (
            CronSchedule("30 5 * * *"), CronSchedule("30 5 * * *", zone: TimeZone.current.identifier)
        )
        let start = "2026-01-31T12:00:00Z"
        #expect(try moments(of: here, after: start, 3) == (try moments(of: named, after: start, 3)))
    }

    @Test(arguments: [
        ("Asia/Kolkata", "2026-01-31T18:30Z"), ("Asia/Kathmandu", "2026-01-31T18:15Z"),
        ("America/St_Johns", "2026-02-01T03:30Z"), ("Pacific/Chatham", "2026-02-01T10:15Z"),
    ])
    func `a zone may be off by half an hour or a quarter`(_ zone: String, _ expected: String) throws {
        #expect(try moments(of: CronSchedule("@daily", zone: zone), after: "2026-01-31T12:00:00Z", 1) == [expected])
    }

    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["0 0 29 2 *", "0 0 29 2 */7", "*/7 * 29 2 */7", "0 0 1 1 *"])
    func `a rare expression is found as fast as any`(_ text: String) throws {
        let schedule = try CronSchedule(text, zone: "Europe/Berlin")
        let clock = ContinuousClock()
        let start = try moment("2053-01-01T00:00:00Z")
        let time = clock.measure { for _ in 0..<100 { _ = schedule.next(after: start) } }
        #expect(time < .seconds(2), "\(time / 100) each")
    }
}
