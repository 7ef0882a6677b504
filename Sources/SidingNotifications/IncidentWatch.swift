// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import ServiceLifecycle

/// Notifies the hooks while a service runs: looks for changes at each pace, and once more when it stops.
package struct IncidentWatch: Service {
    /// Asked at each look, so that a new config counts from then on.
    let notifier: @Sendable () -> Notifier
    let pace: Duration
    let clock: any Clock<Duration>

    /// The time for the last look: a service has to stop soon.
    private static let longestLastSync = Duration.seconds(5)
    /// A monitor that expects pings gets one at least this often, and one whenever the conditions change.
    private static let pingPace = Duration.seconds(300)

    package init(
        pace: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock(),
        notifier: @escaping @Sendable () -> Notifier
    ) {
        (self.pace, self.clock, self.notifier) = (pace, clock, notifier)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var pings = PingSchedule(pace: Self.pingPace)
            while !Task.isCancelled {
                await notifier().look(&pings)
                try? await clock.sleep(for: pace)
            }
        }
        await withTaskGroup { group in
            group.addTask { await notifier().end() }
            group.addTask { try? await clock.sleep(for: Self.longestLastSync) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// When a service pinged last, and what it said.
struct PingSchedule {
    let pace: Duration
    private var last: (moment: Timestamp, open: Set<Incident.Key>)?

    init(pace: Duration) {
        self.pace = pace
    }

    /// Whether it is time for a ping; if so, it is noted.
    mutating func isDue(_ open: [Incident], now: Timestamp) -> Bool {
        let keys = Set(open.map(\.key))
        if let last, last.open == keys, now >= last.moment, now - last.moment < pace { return false }
        last = (now, keys)
        return true
    }
}
