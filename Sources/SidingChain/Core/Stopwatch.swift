/// Tells how long ago it was made, on a clock of any kind.
struct Stopwatch: Sendable {
    /// The time since the stopwatch was made.
    let elapsed: @Sendable () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }
}

extension Duration {
    /// A wait that any clock can count: longer ones would overflow its instant, and a year is as good as forever.
    var atMostAYear: Duration { min(self, .seconds(31_536_000)) }
}
