// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Chains steps, each of which receives the outcome of the one before: fetch, then save.
///
/// ```swift
/// let line = Railway(RequestStep(.onSuccess { IssueQuery(project: $0) }, fetch, ResultProcessor { $0.issues }))
///     .then(RequestStep(.onSuccess { SaveRequest($0) }, save))
/// let saved = try await line.outcome(of: project, context).get()
/// ```
///
/// It starts from a value and ends in a ``Try``. A failure travels to the end, past every step whose generator does not recover
/// from it. A railway is itself a node, from its start to its value, so it can be part of a chain or the performer of another
/// railway's step.
public struct Railway<Start: Sendable, Value: Sendable>: Node {
    private let line: any Node<Try<Start>, Try<Value>>

    /// A railway that begins with `first`: any node from one outcome to another.
    public init(_ first: any Node<Try<Start>, Try<Value>>) {
        line = first
    }

    public var steps: [String] { line.steps }

    /// Adds `step`, which receives the outcome of this line, failures included.
    public func then<Next>(_ step: some Node<Try<Value>, Try<Next>>) -> Railway<Start, Next> {
        Railway<Start, Next>(RailwayJoint(first: line, second: step))
    }

    public func process(_ input: Start, _ context: ChainContext) async throws(Failure) -> Value {
        try await line.process(.success(input), context).get()
    }
}

/// Joins two steps of a railway. If the first throws, although it should not, the second receives that as a failure.
private struct RailwayJoint<Start: Sendable, Value: Sendable, Second: Node>: Node where Second.Input == Try<Value> {
    let first: any Node<Try<Start>, Try<Value>>
    let second: Second

    var steps: [String] { first.steps + second.steps }

    func process(_ input: Try<Start>, _ context: ChainContext) async throws(Failure) -> Second.Output {
        try await second.process(await first.outcome(of: input, context).flatMap { $0 }, context)
    }
}

/// The outcome that one railway step passes to the next: a value, or the failure that travels on in its place.
///
/// `map`, `flatMap`, `flatMapError` and `get()` are those of `Result`. The additions here are async and accept user code that
/// throws.
public typealias Try<Value: Sendable> = Result<Value, Failure>

extension Result where Success: Sendable, Failure == SidingChain.Failure {
    /// The result of `body`; whatever it throws becomes the failure. An error that carries no phase gets `phase`: how far
    /// a request got before `body` ran.
    public init(
        attemptedIn phase: SidingChain.Failure.Phase, _ body: () async throws -> Success
    ) async {
        do { self = .success(try await body()) } catch { self = .failure(.wrapping(error, phase: phase)) }
    }

    /// This outcome, or the result of `recovery` for a failure that matches `isRecoverable`. An error of `recovery` becomes the
    /// failure.
    public func recover(
        where isRecoverable: (SidingChain.Failure) -> Bool = { _ in true },
        _ recovery: (SidingChain.Failure) async throws -> Success
    ) async -> Self {
        guard case .failure(let failure) = self, isRecoverable(failure) else { return self }
        return await Self(attemptedIn: failure.phase) { try await recovery(failure) }
    }

    /// The result of `body`. A `Failure` is unchanged; any other error becomes one that names `node`.
    static func attempt(
        at node: String, _ phase: SidingChain.Failure.Phase, _ body: () async throws -> Success
    ) async -> Self {
        do { return .success(try await body()) } catch let failure as SidingChain.Failure {
            return .failure(failure)
        } catch {
            return .failure(.wrapping(error, phase: phase).at(node: node))
        }
    }
}
