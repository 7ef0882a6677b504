// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import ServiceLifecycle
import Siding
import SidingChain
import SidingCredentials
import SidingTesting
import Testing

@testable import SidingNotifications

@Suite struct IncidentWatchTests {
    @Test func `a service looks at each pace, and pings every five minutes and at each change`() async throws {
        let bench = try await NotifyBench()
        let clock = ManualClock()
        let hooks = [NotifyBench.hook(), NotificationHook(.ping(Secret(plain: "http://127.0.0.1:1/ping", "ping")))]
        let watch = IncidentWatch(clock: clock) { bench.notifier(hooks) }
        try await bench.run(.saved)
        try await withThrowingTaskGroup { group in
            group.addTask { try await watch.run() }
            var seen: [[String]] = []
            for step in 0..<16 {
                await clock.sleepers(1)
                seen.append(bench.receiver.take().map { $0.request.path ?? "" })
                if step == 3 { try await bench.run(.failed, error: "403") }
                bench.time.advance(by: .seconds(30))
                clock.advance(by: .seconds(30))
            }
            let change = ["/hook", "/ping/fail"]
            let quiet = [[String]](repeating: [], count: 9)
            #expect(seen == [["/ping"], [], [], [], change] + quiet + [["/ping/fail"], []])
            group.cancelAll()
        }
    }

    @Test func `the stop of a service notifies once more`() async throws {
        let bench = try await NotifyBench()
        let clock = ManualClock()
        let watch = IncidentWatch(clock: clock) { bench.notifier() }
        let service = ServiceGroup(services: [watch], logger: .silent)
        async let running: Void = service.run()
        await clock.sleepers(1)
        try await bench.run(.failed, error: "403")
        await service.triggerGracefulShutdown()
        try await running
        #expect(try bench.taken() == ["failed posts"])
    }
}
