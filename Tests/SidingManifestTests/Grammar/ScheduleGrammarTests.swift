// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingManifest
import Testing

@Suite struct ScheduleGrammarTests {
    private static func file(_ schedule: String) -> String {
        """
        version: 1
        sources: { a: { base_url: https://example.com } }
        resources:
          b:
            path: /b
            key: id
            schedule: \(schedule)
        """
    }

    /// 2026-01-30T12:00:00Z, a Friday.
    private static let last = Timestamp(secondsSince1970: 1_769_774_400)

    private static func next(_ schedule: String, resource: String = "b") throws -> String {
        let config = try Fixture.parse(file(schedule).replacing("  b:", with: "  \(resource):"))
        let schedule = try #require(config.resources.first?.schedule)
        return schedule.next(after: last).rfc3339
    }

    @Test func `left out, there is none`() throws {
        let text = Self.file("15m").split(separator: "\n").dropLast().joined(separator: "\n")
        #expect(try #require(try Fixture.parse(text).resources.first).schedule == nil)
    }

    @Test(arguments: [
        ("15m", "2026-01-30T12:15:00.000Z"), ("{ every: 15m }", "2026-01-30T12:15:00.000Z"),
        ("1s", "2026-01-30T12:00:01.000Z"),
        ("{ cron: '30 6 * * mon-fri', zone: Europe/Berlin }", "2026-02-02T05:30:00.000Z"),
        ("{ cron: '@daily', zone: America/New_York }", "2026-01-31T05:00:00.000Z"),
    ])
    func `an interval and a cron expression give the next moment`(_ schedule: String, moment: String) throws {
        #expect(try Self.next(schedule) == moment)
    }

    @Test(arguments: ["{ every: 15m, jitter: 1m }", "{ cron: '*/15 * * * *', jitter: 1m }"])
    func `the jitter delays each resource by another time`(_ schedule: String) throws {
        let moments = try ["b", "c", "d"].map { try Self.next(schedule, resource: $0) }
        #expect(moments.allSatisfy { ("2026-01-30T12:15:00.000Z"..<"2026-01-30T12:16:00.000Z").contains($0) })
        #expect(Set(moments).count == 3)
        #expect(try moments == ["b", "c", "d"].map { try Self.next(schedule, resource: $0) })
    }

    @Test(arguments: ["{ every: 90m, jitter: 90m }", "{ cron: '*/15 * * * *', jitter: 15m }"])
    func `the jitter may be as long as the time between two moments`(_ schedule: String) throws {
        #expect(try Self.next(schedule) >= "2026-01-30T12:15:00.000Z")
    }

    private static let forms =
        "expected a duration such as 15m, { every: 15m, jitter: 1m } or { cron: \"0 6 * * *\" }"

    @Test(arguments: [
        ("15", "7:15: 'schedule' in resource 'b' is '15'; \(forms); did you mean '15s'?"),
        ("500ms", "7:15: 'schedule' in resource 'b' is '500ms'; \(forms)"),
        (
            "0 6 * * *",
            "7:15: 'schedule' in resource 'b' is '0 6 * * *'; \(forms); did you mean '{ cron: \"0 6 * * *\" }'?"
        ),
        ("[15m]", "7:15: 'schedule' in resource 'b' is a list; \(forms)"),
        (
            "{ jitter: 1m }",
            "7:15: 'schedule' in resource 'b' does not say when; expected every: 15m, or cron: \"0 6 * * *\""
        ),
        (
            "{ every: 1h, cron: '@daily' }",
            "7:15: 'schedule' in resource 'b' has both every and cron; expected every: 15m, or cron: \"0 6 * * *\""
        ),
        (
            "{ every: 1h, zone: UTC }",
            "7:34: 'zone' in 'schedule' of resource 'b' is only for a cron expression; expected cron"
        ),
        (
            "{ every: 10ms }",
            "7:24: 'every' in 'schedule' of resource 'b' is '10ms'; expected a duration such as 15m, at least 1s"
        ),
        (
            "{ cron: '0 25 * * *' }",
            "7:23: 'cron' in 'schedule' of resource 'b': the hour is '25'; expected 0 to 23, *, ranges such as 1-5, steps such as */2, or a list of these"
        ),
        (
            "{ cron: '0 0 30 2 *' }",
            "7:23: 'cron' in 'schedule' of resource 'b': the cron expression never comes: none of its months has such a day; expected a day that exists"
        ),
        (
            "{ cron: '*/15 * * * *', jitter: 5h }",
            "7:47: 'jitter' in 'schedule' of resource 'b' is longer than the shortest time between two moments; expected a duration up to 15m"
        ),
        (
            "{ every: 90m, jitter: 91m }",
            "7:37: 'jitter' in 'schedule' of resource 'b' is longer than the shortest time between two moments; expected a duration up to 90m"
        ),
        (
            "{ cron: '@daily', zone: berlin }",
            "7:39: 'zone' in 'schedule' of resource 'b': there is no time zone 'berlin'; expected a name such as Europe/Berlin or UTC; did you mean 'Europe/Berlin'?"
        ),
    ])
    func `a faulty schedule is refused with its place`(_ schedule: String, fault: String) {
        #expect(Fixture.faults(Self.file(schedule)) == ["siding.yaml:\(fault)"])
    }
}
