/// One step of a chain: takes an input, gives an output, or ends the line with a ``Failure``.
///
/// Steps join left to right with ``then(_:)``. A wrapper (retry, deadline, logging) is a node around a node.
/// A chain is a value: it may be kept and called many times at once, and the calls share nothing.
public protocol Node<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// The names of the steps that a call goes through, outermost and first step first.
    var steps: [String] { get }

    /// Runs this step, and whatever it wraps, for one call.
    func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output
}

extension Node {
    /// The name that failures and logs carry for this step: the type without its generic arguments.
    public var name: String {
        let full = String(describing: Self.self)
        return String(full.prefix { $0 != "<" })
    }

    public var steps: [String] { [name] }

    /// The steps of the chain in their order, for logs and for people: `A → B → C`.
    public var description: String { steps.joined(separator: " → ") }

    /// Goes on with `next` when this node succeeds; a failure passes `next` by.
    public func then<Next: Node>(_ next: Next) -> Then<Self, Next> where Next.Input == Output {
        Then(first: self, second: next)
    }

    /// Turns the output into another value with a function that may fail.
    ///
    /// Whatever `transform` throws becomes the failure that travels on; it never escapes the line as another type.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Mapped
    ) -> Then<Self, MapNode<Output, Mapped>> {
        then(MapNode(transform))
    }

    /// Lets `recovery` answer for this node when it fails; what `recovery` throws travels on instead.
    public func recover(
        _ recovery: @escaping @Sendable (Failure, ChainContext) async throws -> Output
    ) -> RecoverNode<Self> {
        RecoverNode(self, recovery: recovery)
    }

    /// Ends the whole call of this node after `limit`, measured on `clock`.
    public func timeLimit(
        _ limit: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> DeadlineNode<Self> {
        DeadlineNode(self, limit: limit, clock: clock)
    }

    /// Tries this node again, inside the same call, for failures that `policy` allows.
    public func retry(
        _ policy: RetryPolicy, jitter: Jitter = .random, clock: any Clock<Duration> = ContinuousClock()
    ) -> RetryNode<Self> {
        RetryNode(self, policy: policy, jitter: jitter, clock: clock)
    }
}

/// Two nodes in a row: the railway's straight track.
public struct Then<First: Node, Second: Node>: Node where First.Output == Second.Input {
    let first: First
    let second: Second

    public var steps: [String] { first.steps + second.steps }

    public func process(_ input: First.Input, _ context: ChainContext) async throws(Failure) -> Second.Output {
        let middle = try await first.process(input, context)
        return try await second.process(middle, context)
    }
}
