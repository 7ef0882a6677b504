// SPDX-License-Identifier: Apache-2.0
import Foundation
import Siding
import SidingChain

/// Shows the service manager that the service still looks for work (sd_watchdog_enabled(3)): systemd starts a service anew that
/// is silent for `WatchdogSec=`.
struct Watchdog: Sendable {
    /// A service without a look for this long hangs, however short the manager's time is: it looks every ten seconds.
    private static let patience = Duration.seconds(30)

    let socket: NotifySocket
    /// The manager's time.
    let limit: Duration

    /// Nil if the manager watches nobody, or another process.
    init?(_ environment: [String: String], _ socket: NotifySocket?) {
        guard let socket, let time = environment["WATCHDOG_USEC"].flatMap(Int64.init), time > 0 else { return nil }
        if let process = environment["WATCHDOG_PID"], process != String(getpid()) { return nil }
        (self.socket, limit) = (socket, .microseconds(time))
    }

    /// Reports to the manager twice in its time, while `lastPoll` changes, until the task is cancelled.
    func run(_ lastPoll: @Sendable () -> Timestamp?) async {
        var (look, lookedAt) = (lastPoll(), ContinuousClock.now)
        while !Task.isCancelled {
            let now = ContinuousClock.now
            // Compared instead of subtracted: the wall clock may be set meanwhile.
            if lastPoll() != look { (look, lookedAt) = (lastPoll(), now) }
            let looks = now - lookedAt <= max(limit / 2, Self.patience)
            if looks { socket.isAlive() }
            try? await Task.sleep(for: looks ? limit / 2 : .seconds(1))
        }
    }
}
