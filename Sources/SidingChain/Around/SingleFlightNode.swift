internal import SidingSynchronization

/// Lets identical calls at the same moment share one: a hundred views that want the same page ask for it once.
///
/// Use it for calls that only read, around a chain that ends in a value; a ``Reply`` has a body for one reader. The key
/// must name all that the answer depends on: method, URL, and whose credentials are used. The shared call runs in the
/// first caller's context, task-locals and priority (raised by a more urgent one who joins), and ends for all with the
/// same value or failure; the next call after that starts anew. As a task of its own it takes over the executor of a
/// ``ChainConfiguratorNode`` around the first caller, but not one by `withTaskExecutorPreference`.
///
/// A caller that is cancelled leaves at once with ``Failure/Reason/cancelled``; the call itself is cancelled only when
/// nobody waits for it any more. Copies of a node share their calls.
public struct SingleFlightNode<Wrapped: Node, Key: Hashable & Sendable>: WrapperNode {
    public let wrapped: Wrapped
    private let key: @Sendable (Wrapped.Input) -> Key
    private let flights = Flights<Key, Wrapped.Output>()

    /// - Parameter key: what makes two calls the same.
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
            do throws(Failure) { return .success(try await wrapped.process(input, context.withoutHandle)) } catch {
                return .failure(error)
            }
        }
        // Others may go on with the call, and how far it has got is not known here.
        let left = Failure(.cancelled, phase: .maybeSent, detail: "left a shared call").at(node: name)
        let answer = await seat.value(orWhenCancelled: .failure(left)) { flights.leave(key, flight, seat) }
        return try answer.get()
    }
}

extension SingleFlightNode where Wrapped.Input: Hashable, Key == Wrapped.Input {
    /// Calls are the same where their inputs are equal.
    public init(_ wrapped: Wrapped) {
        self.init(wrapped) { $0 }
    }
}

/// The shared calls that are under way: who waits for which, and who was the last to leave.
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

    /// Takes `seat` on the call of `key` that is under way; where there is none, `run` becomes it.
    ///
    /// The call has a task of its own, and an unstructured one, because no caller's task outlives the others for certain:
    /// as a child of the first caller it would end when that one is cancelled, while the rest still wait. It starts in the
    /// first caller's task-locals and priority, on `executor`, off its actor. It ends with its answer, or is cancelled by
    /// ``leave``.
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
        // An urgent caller does not wait at the pace of an idle one. Older systems cannot raise a task from outside.
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            joined?.escalatePriority(to: Task.currentPriority)
        }
        return number
    }

    /// Gives up `seat`; the last who leaves ends the call, and the next caller of `key` starts anew.
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
        for seat in seats.values { seat.settle(answer) }
    }
}
