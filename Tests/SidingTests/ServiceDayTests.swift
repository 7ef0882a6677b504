// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingSchedule
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// Days of a service in Berlin, from midnight to midnight, on clocks that jump from one moment of the loop to the next.
@Suite(.timeLimit(.minutes(3))) struct ServiceDayTests {
    /// A day of the calendar, and when its clocks change.
    struct Day: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let midnight: String
        let hours: Int
        /// 2:30, when it comes.
        let night: String
        /// 6:00.
        let morning: String

        static let plain = Day(
            testDescription: "23 March", midnight: "2026-03-22T23:00:00Z", hours: 24, night: "2026-03-23T01:30:00Z",
            morning: "2026-03-23T05:00:00Z")
        static let spring = Day(
            testDescription: "29 March", midnight: "2026-03-28T23:00:00Z", hours: 23, night: "2026-03-29T01:00:00Z",
            morning: "2026-03-29T04:00:00Z")
        static let autumn = Day(
            testDescription: "25 October", midnight: "2026-10-24T22:00:00Z", hours: 25, night: "2026-10-25T00:30:00Z",
            morning: "2026-10-25T05:00:00Z")
    }

    @Test(arguments: [Day.plain, .spring, .autumn])
    func `each resource is requested by its schedule, and at no other moment`(_ day: Day) async throws {
        let service = try await DayService(day.midnight)
        try service.add("ticks", by: IntervalSchedule(every: .seconds(900)))
        try service.add("night", cron: "30 2 * * *")
        try service.add("office", cron: "*/30 6-7 * * *")
        try service.add("hourly", cron: "0 * * * *")
        // Its origin declares every answer current for an hour.
        try service.add(
            "fresh", by: IntervalSchedule(every: .seconds(900)), answer: .text("[]", headerFields: Self.current))
        try service.add("usual", by: nil)
        try await service.run(for: .seconds(day.hours * 3_600))

        let start = service.start
        let ticks = (0..<day.hours * 4).map { start + .seconds(900 * $0) }
        #expect(service.moments(of: "/ticks") == ticks)
        #expect(service.moments(of: "/usual") == ticks)
        let hours = (0..<day.hours).map { start + .seconds(3_600 * $0) }
        #expect(service.moments(of: "/hourly") == hours)
        #expect(service.moments(of: "/fresh") == hours)
        #expect(service.moments(of: "/night") == [start, try DayService.moment(day.night)])
        let morning = try DayService.moment(day.morning)
        #expect(service.moments(of: "/office") == [start] + (0..<4).map { morning + .seconds(1_800 * $0) })
        // The loop wakes for its moments, and otherwise as often as its pace says.
        #expect(service.wakes <= day.hours * 6 + ticks.count)
    }

    @Test func `the jitter puts off each moment of a machine by another time, and none by more than that`() async throws
    {
        let service = try await DayService(Day.plain.midnight)
        let base = try CronSchedule("0 * * * *", zone: "Europe/Berlin")
        for machine in 1...3 {
            try service.add(
                "kiosk-\(machine)", by: JitteredSchedule(base, jitter: .seconds(300), name: "kiosk-\(machine) posts"))
        }
        try await service.run(for: .seconds(86_400))
        let moments = (1...3).map { service.moments(of: "/kiosk-\($0)").dropFirst() }
        // Beside that at the start: the hours from 1 to 23, the last one maybe only after midnight.
        for moments in moments {
            #expect((22...23).contains(moments.count))
            let delays = moments.enumerated().map { $1 - (service.start + .seconds(3_600 * ($0 + 1))) }
            #expect(delays.allSatisfy { (.zero..<Duration.seconds(300)).contains($0) }, "\(delays)")
            #expect(Set(delays).count == delays.count)
        }
        #expect(Set(moments.joined()).count == moments.joined().count)
    }

    @Test func `an outage is waited out with growing waits, and the schedule continues after it`() async throws {
        let service = try await DayService(Day.plain.midnight)
        let (from, to) = (service.start + .seconds(36_000), service.start + .seconds(43_200))
        try service.add("ticks", by: IntervalSchedule(every: .seconds(900)))
        try service.add("other", by: IntervalSchedule(every: .seconds(900)), from: "well")
        let lost = ScriptedAnswer.failure(Failure(.cantConnectToHost(.refused), phase: .notSent))
        service.set("/ticks", lost, during: 10..<12)
        try await service.run(for: .seconds(86_400))

        let all = service.moments(of: "/ticks")
        #expect(all.filter { $0 < from } == (0..<40).map { service.start + .seconds(900 * $0) })
        let tries = all.filter { (from..<to).contains($0) }
        let waits = zip(tries, tries.dropFirst()).map { $1 - $0 }
        #expect(tries.first == from)
        #expect((5...30).contains(tries.count), "\(waits)")
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 }, "\(waits)")
        let later = all.filter { $0 >= to }
        let back = try #require(later.first)
        #expect(back - to <= .seconds(3_600))
        #expect(later == later.indices.map { back + .seconds(900 * $0) })
        // Another source is asked all the while.
        #expect(service.moments(of: "/other").count == 96)
    }

    @Test func `a resource that is refused is requested by its schedule alone`() async throws {
        let service = try await DayService(Day.plain.midnight)
        try service.add("office", cron: "*/30 6-7 * * *", answer: .status(.forbidden))
        try service.add("ticks", by: IntervalSchedule(every: .seconds(900)), answer: .status(.forbidden))
        try await service.run(for: .seconds(86_400))
        let morning = try DayService.moment(Day.plain.morning)
        #expect(service.moments(of: "/office") == [service.start] + (0..<4).map { morning + .seconds(1_800 * $0) })
        #expect(service.moments(of: "/ticks") == (0..<96).map { service.start + .seconds(900 * $0) })
    }

    @Test func `a write that cannot be delivered is tried less and less often, and parked once it expires`()
        async throws
    {
        let service = try await DayService(Day.plain.midnight)
        try service.add("ticks", by: IntervalSchedule(every: .seconds(3_600)))
        let lost = ScriptedAnswer.failure(Failure(.cantConnectToHost(.refused), phase: .notSent))
        service.set("/orders", lost, during: 0..<24)
        let entry = try await service.enqueue("/orders", expiry: .seconds(10_800))
        try await service.run(for: .seconds(86_400))

        let tries = service.moments(of: "/orders")
        let waits = zip(tries, tries.dropFirst()).map { $1 - $0 }
        #expect((5...40).contains(tries.count), "\(waits)")
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 <= $1 }, "\(waits)")
        #expect(tries.allSatisfy { $0 < service.start + .seconds(10_800) })
        let history = try await service.store.history(of: entry.id)
        let parked = try #require(history.last)
        #expect((.seconds(10_800)...(.seconds(10_800) + DayService.pace)).contains(parked.at - service.start))
        let kept = try await service.store.entries(QueueSelection(ids: [entry.id]))
        #expect(kept.map(\.reason) == [.expired])
        #expect(service.moments(of: "/ticks").count == 24)
    }

    private static let current: HTTPFields = [.contentType: "application/json", .cacheControl: "max-age=3600"]
}
