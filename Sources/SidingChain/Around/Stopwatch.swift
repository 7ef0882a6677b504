// SPDX-License-Identifier: Apache-2.0
/// Measures the time since its creation, on any kind of clock.
package struct Stopwatch: Sendable {
    /// The time since the stopwatch was made.
    package let elapsed: @Sendable () -> Duration

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}

extension Duration {
    /// At most a year: longer waits would overflow a clock's instant.
    package var atMostAYear: Duration { min(self, .seconds(31_536_000)) }
}
