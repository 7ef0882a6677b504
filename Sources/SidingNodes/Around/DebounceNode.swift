// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Runs only the last call of a burst, after an interval without calls: for search as you type.
///
/// Each call waits for the interval. A later call within it replaces it, and the earlier one fails at once with
/// `Failure.Reason.cancelled`, phase not sent, with an explanation. A call that already runs is not affected. Copies of a
/// node share their bursts.
public struct DebounceNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let burst = Burst()

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - interval: the time without calls before a call runs; any duration is legal.
    ///   - clock: measures the interval.
    public init(_ wrapped: Wrapped, interval: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.wrapped = wrapped
        self.interval = interval
        self.clock = clock
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        switch await outcomeOfWaiting() {
        case .quiet:
            return try await wrapped.process(input, context)
        case .superseded:
            throw Failure(.cancelled, phase: .notSent, detail: "a later call within \(interval) took its place")
                .at(node: name)
        case .cancelled:
            throw Failure(.cancelled, phase: .notSent, detail: "while it waited for the calls to pause").at(node: name)
        }
    }

    private func outcomeOfWaiting() async -> BurstOutcome {
        let place = Promise<BurstOutcome>()
        burst.supersede(by: place)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await clock.sleep(for: interval.atMostAYear)
                    place.resolve(.quiet)
                } catch {
                    place.resolve(.cancelled)
                }
            }
            defer { group.cancelAll() }
            return await place.value()
        }
    }
}

/// How the wait of one call ended.
private enum BurstOutcome: Sendable {
    case quiet
    case superseded
    case cancelled
}

/// The call that currently waits.
private final class Burst: Sendable {
    private let last = Mutex<Promise<BurstOutcome>?>(nil)

    func supersede(by next: Promise<BurstOutcome>) {
        last.exchange(next)?.resolve(.superseded)
    }
}
