// SPDX-License-Identifier: Apache-2.0
public import Logging
public import SidingChain

extension RuntimeEnvironment {
    /// The environment of a program on Linux: the kernel reports whether a network route exists.
    public init(
        jitter: Jitter = .random, clock: any Clock<Duration> = ContinuousClock(), wallClock: WallClock = .system,
        logger: Logger = .silent
    ) {
        self.init(
            connectivity: LinuxConnectivity(), jitter: jitter, clock: clock, wallClock: wallClock, logger: logger)
    }
}
