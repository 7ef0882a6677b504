/// One step of a chain: takes an input, gives an output, or ends the line with a ``Failure``.
///
/// Steps join left to right with ``then(_:)``. A wrapper (retry, deadline, logging) is a node around a node.
/// A chain is a value: it may be kept and called many times at once, and the calls share nothing.
public protocol Node<Input, Output>: Sendable {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// The name that failures and logs carry for this step: the type without its generic arguments, unless the node says
    /// otherwise.
    var name: String { get }

    /// The names of the steps that a call goes through, outermost and first step first.
    var steps: [String] { get }

    /// Runs this step, and whatever it wraps, for one call.
    func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output
}

extension Node {
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

/// A node around another one: retry, deadline, logging, access safety.
///
/// It names the node that it wraps among its steps, `RetryNode(A → B)`, and has nothing else to implement than
/// ``Node/process(_:_:)``.
public protocol WrapperNode: Node {
    associatedtype Wrapped: Node

    /// The node within.
    var wrapped: Wrapped { get }
}

extension WrapperNode {
    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }
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

/// Turns a value into another with the user's function.
public struct MapNode<Input: Sendable, Output: Sendable>: Node {
    private let transform: @Sendable (Input) throws -> Output

    public init(_ transform: @escaping @Sendable (Input) throws -> Output) {
        self.transform = transform
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        do { return try transform(input) } catch { throw Failure.wrapping(error, phase: .answered).at(node: name) }
    }
}

/// Lets the user's function answer for a node that failed.
public struct RecoverNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let recovery: @Sendable (Failure, ChainContext) async throws -> Wrapped.Output

    public init(
        _ wrapped: Wrapped, recovery: @escaping @Sendable (Failure, ChainContext) async throws -> Wrapped.Output
    ) {
        self.wrapped = wrapped
        self.recovery = recovery
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        do {
            return try await wrapped.process(input, context)
        } catch {
            do { return try await recovery(error, context.withoutHandle) } catch let second {
                throw Failure.wrapping(second, phase: error.phase).at(node: name, method: error.method, url: error.url)
            }
        }
    }
}
