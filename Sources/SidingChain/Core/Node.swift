// SPDX-License-Identifier: Apache-2.0
/// One step of a chain: takes an input and returns an output, or throws a ``Failure``.
///
/// Join steps left to right with ``then(_:)``. A wrapper (retry, deadline, logging) is a node around a node. A chain is a
/// value: it may be kept and called many times at once, and the calls share nothing.
public protocol Node<Input, Output>: Sendable {
    /// What the step takes: a request in its current form, or a model; `Void` for none.
    associatedtype Input: Sendable
    /// What the step returns, and the next one takes.
    associatedtype Output: Sendable

    /// The name of this step in failures and logs: the type name without its generic arguments, by default.
    var name: String { get }

    /// The names of all steps of a call, outermost and first step first.
    var steps: [String] { get }

    /// Runs this step, and the nodes it wraps, for one call.
    func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output
}

extension Node {
    public var name: String {
        let full = String(describing: Self.self)
        return String(full.prefix { $0 != "<" })
    }

    public var steps: [String] { [name] }

    /// The steps of the chain in order, for logs and people: `A → B → C`.
    public var description: String { steps.joined(separator: " → ") }

    /// Runs `next` if this node succeeds; a failure skips `next`.
    public func then<Next: Node>(_ next: Next) -> ThenNode<Self, Next> where Next.Input == Output {
        ThenNode(first: self, second: next)
    }

    /// Transforms the output with a function that may throw.
    ///
    /// Whatever `transform` throws becomes the ``Failure`` of the chain.
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Output) throws -> Mapped
    ) -> ThenNode<Self, MapNode<Output, Mapped>> {
        then(MapNode(transform))
    }

    /// Calls `recovery` if this node fails; if `recovery` throws, its error becomes the failure.
    public func recover(
        _ recovery: @escaping @Sendable (Failure, ChainContext) async throws -> Output
    ) -> RecoverNode<Self> {
        RecoverNode(wrapped: self, recovery: recovery)
    }

    /// Ends the whole call of this node after `limit`, measured on `clock`.
    public func timeLimit(
        _ limit: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) -> DeadlineNode<Self> {
        DeadlineNode(self, limit: limit, clock: clock)
    }

    /// Tries this node again, within the same call, for failures that `policy` allows.
    public func retry(
        _ policy: RetryPolicy, jitter: Jitter = .random, clock: any Clock<Duration> = ContinuousClock()
    ) -> RetryNode<Self> {
        RetryNode(self, policy: policy, jitter: jitter, clock: clock)
    }
}

/// A node around another one: retry, deadline, logging, access safety.
///
/// Its ``Node/steps`` include those of the wrapped node, `RetryNode(A → B)`. Only ``Node/process(_:_:)`` is left to implement.
public protocol WrapperNode: Node {
    /// The type of the node inside; it need not have the wrapper's own input and output.
    associatedtype Wrapped: Node

    /// The wrapped node.
    var wrapped: Wrapped { get }
}

extension WrapperNode {
    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }
}

/// Runs two nodes one after the other: what ``Node/then(_:)`` returns.
///
/// The type is named, not opaque: Swift looks an opaque type up by its name in each call, which took 1.6 µs of a chain of
/// eight nodes.
public struct ThenNode<First: Node, Second: Node>: Node where First.Output == Second.Input {
    let first: First
    let second: Second

    public var steps: [String] { first.steps + second.steps }

    public func process(_ input: First.Input, _ context: ChainContext) async throws(Failure) -> Second.Output {
        let middle = try await first.process(input, context)
        return try await second.process(middle, context)
    }
}

/// The two nodes one after the other, where their types are known only at run time: ``Node/then(_:)`` needs them earlier.
package func joined<First: Node, Second: Node>(
    _ first: First, _ second: Second
) -> any Node<First.Input, Second.Output> where First.Output == Second.Input {
    first.then(second)
}

/// Transforms a value with the user's function.
public struct MapNode<Input: Sendable, Output: Sendable>: Node {
    private let transform: @Sendable (Input) throws -> Output

    /// Whatever `transform` throws becomes the ``Failure`` of the chain. ``Node/map(_:)`` adds such a node.
    public init(_ transform: @escaping @Sendable (Input) throws -> Output) {
        self.transform = transform
    }

    public func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        do { return try transform(input) } catch { throw Failure.wrapping(error, phase: .answered).at(node: name) }
    }
}

/// Replaces the failure of a node with the result of the user's function: what ``Node/recover(_:)`` returns.
public struct RecoverNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    let recovery: @Sendable (Failure, ChainContext) async throws -> Wrapped.Output

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
