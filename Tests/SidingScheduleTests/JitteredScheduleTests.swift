// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSchedule
import Siding
import Testing

@Suite struct JitteredScheduleTests {
    private static let base = IntervalSchedule(every: .seconds(900))
    private static let last = Timestamp(secondsSince1970: 1_700_000_000)

    private static func delay(_ name: String, _ last: Timestamp = last) -> Duration {
        JitteredSchedule(base, jitter: .seconds(60), name: name).next(after: last) - base.next(after: last)
    }

    @Test func `the delay is the same for a process that was started anew`() {
        #expect(Self.delay("kiosk-7 issues") == Self.delay("kiosk-7 issues"))
    }

    @Test func `it differs by machine, by resource and by moment`() {
        let delays = [
            Self.delay("kiosk-7 issues"), Self.delay("kiosk-8 issues"), Self.delay("kiosk-7 users"),
            Self.delay("kiosk-7 issues", Self.last + .seconds(900)),
        ]
        #expect(Set(delays).count == delays.count)
    }

    @Test func `a fleet spreads evenly over the jitter`() {
        let delays = (1...6_000).map { Self.delay("kiosk-\($0) issues") }
        #expect(delays.allSatisfy { (.zero..<Duration.seconds(60)).contains($0) })
        for second in 0..<6 {
            let part = Duration.seconds(10 * second)..<Duration.seconds(10 * second + 10)
            #expect((900...1_100).contains(delays.count(where: part.contains)), "\(part)")
        }
    }

    @Test func `a delayed moment is not the last one's own again`() throws {
        let daily = JitteredSchedule(
            try CronSchedule("@daily", zone: "UTC"), jitter: .seconds(3_600), name: "kiosk-7 issues")
        let first = daily.next(after: Self.last)
        #expect((.seconds(82_800)...Duration.seconds(90_000)).contains(daily.next(after: first) - first))
    }
}
