public import Logging

/// What a program takes from its surroundings: clocks, randomness, the state of the line, and where logs go. One value is
/// handed from a program's beginning to whatever sends requests; tests give one that they control.
///
/// `SidingNetwork` adds an initializer that asks the kernel whether there is a way out.
public struct Environment: Sendable {
    /// Labels errors with whether there is a way out.
    public var connectivity: any Connectivity
    /// Spreads waiting.
    public var jitter: Jitter
    /// Measures waiting.
    public var clock: any Clock<Duration>
    /// Stamps what is stored.
    public var wallClock: WallClock
    /// Silent by default.
    public var logger: Logger

    public init(
        connectivity: any Connectivity, jitter: Jitter = .random, clock: any Clock<Duration> = ContinuousClock(),
        wallClock: WallClock = .system, logger: Logger = .silent
    ) {
        self.connectivity = connectivity
        self.jitter = jitter
        self.clock = clock
        self.wallClock = wallClock
        self.logger = logger
    }
}
