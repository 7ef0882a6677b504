// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Combines identical concurrent calls into one: a hundred views that need the same page request it once.
///
/// Use it for calls that only read, around a chain that ends in a value; a `Reply` body has only one reader. The key must
/// contain everything that the response depends on: method, URL, and the account. The shared call runs with the first caller's
/// context, task-locals and priority (raised if a more urgent caller joins), and all callers get the same value or failure; the
/// next call after that starts anew. It runs in a task of its own, with the executor of a ``ChainConfiguratorNode`` around the
/// first caller, but not one set by `withTaskExecutorPreference`.
///
/// A cancelled caller leaves at once with `Failure.Reason.cancelled`; the shared call is cancelled only when no caller is
/// left. Copies of a node share their calls.
public struct SingleFlightNode<Wrapped: Node, Key: Hashable & Sendable>: WrapperNode {
    public let wrapped: Wrapped
    private let key: @Sendable (Wrapped.Input) -> Key
    private let flights = Flights<Key, Wrapped.Output>()

    /// - Parameters:
    ///   - wrapped: the nodes inside.
    ///   - key: calls with equal keys are identical.
    public init(_ wrapped: Wrapped, key: @escaping @Sendable (Wrapped.Input) -> Key) {
        self.wrapped = wrapped
        self.key = key
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        guard !Task.isCancelled else {
            throw Failure(.cancelled, phase: .notSent, detail: "before it joined a shared call").at(node: name)
        }
        let (key, flights, wrapped) = (key(input), flights, wrapped)
        let seat = Promise<Result<Wrapped.Output, Failure>>()
        let flight = flights.board(key, seat, on: context.executor) {
            await wrapped.outcome(of: input, context.withoutHandle)
        }
        // Other callers may still wait for the call, and its progress is not known here.
        let left = Failure(.cancelled, phase: .maybeSent, detail: "left a shared call").at(node: name)
        let answer = await seat.value(orWhenCancelled: .failure(left)) { flights.leave(key, flight, seat) }
        return try answer.get()
    }
}

extension SingleFlightNode where Wrapped.Input: Hashable, Key == Wrapped.Input {
    /// Calls with equal inputs are identical.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped) { $0 }
    }
}

/// The shared calls in flight and their waiting callers.
final class Flights<Key: Hashable & Sendable, Output: Sendable>: Sendable {
    typealias Answer = Result<Output, Failure>
    typealias Seat = Promise<Answer>

    private struct Flight {
        let number: Int
        let task: Task<Void, Never>
        var seats: [ObjectIdentifier: Seat]
    }

    private struct State {
        var numbers = 0
        var flights: [Key: Flight] = [:]
    }

    private let state = Mutex(State())

    /// Joins the call of `key` that is in flight; if there is none, starts `run`.
    ///
    /// The call has an unstructured task, because no caller's task is sure to outlive the others: as a child of the first
    /// caller it would end when that one is cancelled, while others still wait. It starts with the first caller's task-locals
    /// and priority, on `executor`, off its actor. It ends with its result, or is cancelled by ``leave``.
    ///
    /// - Returns: the number of the flight, for ``leave(_:_:_:)``.
    func board(
        _ key: Key, _ seat: Seat, on executor: (any TaskExecutor)?, run: @escaping @Sendable () async -> Answer
    ) -> Int {
        let (number, joined) = state.withLock { state -> (Int, Task<Void, Never>?) in
            let id = ObjectIdentifier(seat)
            if let flight = state.flights[key] {
                state.flights[key]?.seats[id] = seat
                return (flight.number, flight.task)
            }
            state.numbers += 1
            let number = state.numbers
            let task = Task(executorPreference: executor) { self.land(key, number, await run()) }
            state.flights[key] = Flight(number: number, task: task, seats: [id: seat])
            return (number, nil)
        }
        // An urgent caller should not wait for a call of low priority.
        joined?.escalatePriority(to: Task.currentPriority)
        return number
    }

    /// Removes the caller of `seat`. The last one to leave cancels the call, and the next caller of `key` starts anew.
    func leave(_ key: Key, _ number: Int, _ seat: Seat) {
        let orphan = state.withLock { state -> Task<Void, Never>? in
            guard let flight = state.flights[key], flight.number == number else { return nil }
            state.flights[key]?.seats.removeValue(forKey: ObjectIdentifier(seat))
            guard state.flights[key]?.seats.isEmpty == true else { return nil }
            state.flights.removeValue(forKey: key)
            return flight.task
        }
        orphan?.cancel()
    }

    private func land(_ key: Key, _ number: Int, _ answer: Answer) {
        let seats = state.withLock { state -> [ObjectIdentifier: Seat] in
            guard let flight = state.flights[key], flight.number == number else { return [:] }
            state.flights.removeValue(forKey: key)
            return flight.seats
        }
        for seat in seats.values { seat.resolve(answer) }
    }
}
