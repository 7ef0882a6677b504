// SPDX-License-Identifier: Apache-2.0
public import Logging

/// The clocks, randomness, network connectivity and logger of a program. The program creates one value and passes it to
/// everything that sends requests; tests pass one that they control.
///
/// `SidingNetwork` adds an initializer that asks the kernel whether a network route exists.
public struct RuntimeEnvironment: Sendable {
    /// Reports whether a network route exists, so that errors can be classified.
    public var connectivity: any Connectivity
    /// Randomizes waits.
    public var jitter: Jitter
    /// Measures waits.
    public var clock: any Clock<Duration>
    /// The time that is stored with records and entries.
    public var wallClock: WallClock
    /// Silent by default.
    public var logger: Logger

    /// The real clocks and randomness and no log, unless a test or program passes its own.
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
