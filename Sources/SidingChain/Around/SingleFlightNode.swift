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
public struct SingleFlightNode<Wrapped: Node, Key: Hashable & Sendable>: Node {
    private let wrapped: Wrapped
    private let key: @Sendable (Wrapped.Input) -> Key
    private let flights = Flights<Key, Wrapped.Output>()

    /// - Parameter key: what makes two calls the same.
    public init(_ wrapped: Wrapped, key: @escaping @Sendable (Wrapped.Input) -> Key) {
        self.wrapped = wrapped
        self.key = key
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

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
