// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Starts at most one call per interval, for origins that count requests.
///
/// The interval is measured from start to start; calls may overlap. Copies of a node share their interval. Any interval is
/// legal; zero or less does not throttle.
public struct ThrottleNode<Wrapped: Node>: WrapperNode {
    /// What happens to a call that comes too early.
    public enum Excess: Sendable, Hashable {
        /// It waits for its turn, first come, first served. A cancelled call leaves the line.
        case waits
        /// It fails at once with `Failure.Reason.cancelled`, phase not sent; the detail says when the next may start.
        case fails
    }

    public let wrapped: Wrapped
    private let excess: Excess
    private let pace: Pace

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - interval: the minimum time between two starts.
    ///   - excess: what happens to a call that comes too early; it waits by default.
    ///   - clock: measures the interval.
    public init(
        _ wrapped: Wrapped, interval: Duration, excess: Excess = .waits,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.wrapped = wrapped
        self.excess = excess
        self.pace = Pace(interval: interval, clock: clock)
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        do throws(Failure) {
            switch excess {
            case .waits: try await pace.waitForStart()
            case .fails: try pace.startNow()
            }
        } catch {
            throw error.at(node: name)
        }
        return try await wrapped.process(input, context)
    }
}

/// Tracks the last start and the calls that wait.
private final class Pace: Sendable {
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let turns = WaitingLine<Void>()
    private let lastStart = Mutex<Duration?>(nil)

    init(interval: Duration, clock: any Clock<Duration>) {
        self.interval = interval
        self.clock = clock
        self.stopwatch = Stopwatch(clock)
    }

    /// Only the first in line sleeps, so a cancelled call never delays those behind it.
    func waitForStart() async throws(Failure) {
        guard await turns.take() else {
            throw Failure(.cancelled, phase: .notSent, detail: "while it waited for its turn")
        }
        defer { turns.pass() }
        while let wait = startOrWait() {
            do { try await clock.sleep(for: wait.atMostAYear) } catch {
                throw Failure(.cancelled, phase: .notSent, detail: "while it waited for its turn")
            }
        }
    }

    func startNow() throws(Failure) {
        guard let wait = startOrWait() else { return }
        throw Failure(
            .cancelled, phase: .notSent,
            detail: "one call per \(interval) is let through; the next may start in \(wait)")
    }

    /// Records a start if one is due, otherwise returns the wait until then.
    private func startOrWait() -> Duration? {
        let now = stopwatch.elapsed()
        return lastStart.withLock { lastStart in
            if let last = lastStart, now - last < interval { return interval - (now - last) }
            lastStart = now
            return nil
        }
    }
}
