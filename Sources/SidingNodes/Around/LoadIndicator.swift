// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Counts the calls in flight, for a spinner or a gauge: a value, and a sequence of its changes.
///
/// ```swift
/// let indicator = LoadIndicator()
/// let chain = LoadIndicatableNode(rest, indicator: indicator)
/// for await count in indicator { show(isLoading: count > 0) }
/// ```
///
/// Each iteration observes independently: it gets the current number at once, then every change. A slow reader may miss numbers
/// in between, never the newest. The sequence ends when the reader is cancelled or the indicator is released.
public final class LoadIndicator: AsyncSequence, Sendable {
    public typealias Element = Int
    public typealias Failure = Never

    private struct State {
        var count = 0
        var ids = 0
        var observers: [Int: AsyncStream<Int>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// An indicator that shows 0 until a ``LoadIndicatableNode`` reports calls to it.
    public init() {}

    deinit {
        for observer in state.withLock({ $0.observers.values }) { observer.finish() }
    }

    /// The current number of calls in flight.
    public var count: Int { state.withLock { $0.count } }

    /// The current number of observing iterations.
    var observerCount: Int { state.withLock { $0.observers.count } }

    func begin() { change(by: 1) }

    func end() { change(by: -1) }

    private func change(by step: Int) {
        state.withLock { state in
            state.count += step
            // Under the lock, so that observers see the numbers in order.
            for observer in state.observers.values { observer.yield(state.count) }
        }
    }

    /// Starts observing.
    public func makeAsyncIterator() -> AsyncStream<Int>.Iterator {
        let (stream, observer) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.ids += 1
            state.observers[state.ids] = observer
            observer.yield(state.count)
            return state.ids
        }
        observer.onTermination = { [weak self] _ in self?.forget(id) }
        return stream.makeAsyncIterator()
    }

    private func forget(_ id: Int) {
        _ = state.withLock { $0.observers.removeValue(forKey: id) }
    }
}

/// Counts a chain's calls in flight for a ``LoadIndicator``.
///
/// Several nodes may share one indicator, which then shows their sum.
public struct LoadIndicatableNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let indicator: LoadIndicator

    /// Adds 1 to `indicator` while a call of `wrapped` runs, whether it succeeds, fails or is cancelled.
    public init(_ wrapped: Wrapped, indicator: LoadIndicator) {
        self.wrapped = wrapped
        self.indicator = indicator
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        indicator.begin()
        defer { indicator.end() }
        return try await wrapped.process(input, context)
    }
}
