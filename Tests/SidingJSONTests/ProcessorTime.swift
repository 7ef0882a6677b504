// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The processor time that `body` takes on this thread, the least of several: what else the machine does does not count, nor
/// does a limit on this process.
func processorTime(of body: () throws -> Void) rethrows -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    return try (0..<5).map { _ in
        let start = now()
        try body()
        return now() - start
    }.min() ?? .zero
}
