// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingTesting
import Testing
import TestSupport

@testable import SidingNotifications

@Suite struct YearOfRunsTests {
    /// An outage: the day on which it begins, and its length in hours.
    private static let outages = [
        (day: 3, hours: 20), (day: 40, hours: 200), (day: 41, hours: 18), (day: 200, hours: 31), (day: 364, hours: 24),
    ]

    @Test func `a year of runs gives one notification for each incident, not for each run`() async throws {
        let bench = try await NotifyBench()
        // Every fifteen minutes in the long proof.
        let pace = Proof.choose(short: 8 * 3600, middle: 3600, long: 900)
        let notifier = bench.notifier()
        var expected: [String] = []
        var (taken, wasDown, runs) = ([String](), false, 0)
        for second in stride(from: 0, to: 365 * 86_400, by: pace) {
            let isDown = Self.outages.contains { outage in
                let hours = second / 3600 - outage.day * 24
                return hours >= 0 && hours < outage.hours
            }
            if isDown != wasDown { expected.append(isDown ? "failed posts" : "recovered failed posts") }
            wasDown = isDown
            try await bench.run(isDown ? .failed : .saved, error: isDown ? "the origin answered 403" : nil)
            try await notifier.notify()
            taken += try bench.taken()
            runs += 1
            bench.time.advance(by: .seconds(pace))
        }
        #expect(runs == 365 * 86_400 / pace)
        #expect(taken == expected)
        // Two outages overlap, and the last one lasts.
        #expect(taken.count == 7)
        #expect(try await bench.store.incidents().count == 1)
    }
}
