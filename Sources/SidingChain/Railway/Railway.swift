/// Steps in a row, each of which gets the outcome of the one before: fetch, then save.
///
/// ```swift
/// let line = Railway(RequestStep(.onSuccess { IssueQuery(project: $0) }, fetch, ResultProcessor { $0.issues }))
///     .then(RequestStep(.onSuccess { SaveRequest($0) }, save))
/// let saved = try await line.outcome(of: project, context).get()
/// ```
///
/// It starts from a value and ends in a ``Try``. A failure travels to the end, past every step whose generator does not
/// recover from it. A railway is a node as well, from its start to its value, so that it can be a part of a chain or the
/// performer of another railway's step.
public struct Railway<Start: Sendable, Value: Sendable, Line: Node>: Node
where Line.Input == Try<Start>, Line.Output == Try<Value> {
    private let line: Line

    /// A railway that begins with `first`: any node from an outcome to an outcome.
    public init(_ first: Line) {
        line = first
    }

    public var steps: [String] { line.steps }

    /// Goes on with `step`, which gets the outcome of this line, failures too.
    public func then<Step: Node, Next>(_ step: Step) -> Railway<Start, Next, RailwayJoint<Line, Step, Value>>
    where Step.Input == Try<Value>, Step.Output == Try<Next> {
        Railway<Start, Next, RailwayJoint<Line, Step, Value>>(RailwayJoint(first: line, second: step))
    }

    public func process(_ input: Start, _ context: ChainContext) async throws(Failure) -> Value {
        try await line.process(.success(input), context).get()
    }
}

/// Two steps of a railway: what the first throws, though it should not, is a failure to the second like any other.
public struct RailwayJoint<First: Node, Second: Node, Value: Sendable>: Node
where First.Output == Try<Value>, Second.Input == Try<Value> {
    let first: First
    let second: Second

    public var steps: [String] { first.steps + second.steps }

    public func process(_ input: First.Input, _ context: ChainContext) async throws(Failure) -> Second.Output {
        try await second.process(await first.outcome(of: input, context).flatMap { $0 }, context)
    }
}

/// What a step of a railway hands to the next: a value, or the failure that travels on in its place.
///
/// `map`, `flatMap`, `flatMapError` and `get()` are those of `Result`; what is added here awaits and takes user code that
/// throws.
public typealias Try<Value: Sendable> = Result<Value, Failure>

extension Result where Success: Sendable, Failure == SidingChain.Failure {
    /// What `body` gives; whatever it throws becomes the failure.
    ///
    /// - Parameter phase: how far a request had got when `body` ran, for errors that do not say so themselves.
    public init(
        attemptedIn phase: SidingChain.Failure.Phase, _ body: () async throws -> Success
    ) async {
        do { self = .success(try await body()) } catch { self = .failure(.wrapping(error, phase: phase)) }
    }

    /// This outcome, or what `recovery` answers for a failure that `isRecoverable` names; what it throws travels on instead.
    public func recover(
        where isRecoverable: (SidingChain.Failure) -> Bool = { _ in true },
        _ recovery: (SidingChain.Failure) async throws -> Success
    ) async -> Self {
        guard case .failure(let failure) = self, isRecoverable(failure) else { return self }
        return await Self(attemptedIn: failure.phase) { try await recovery(failure) }
    }

    /// What `body` gives, where an error that is no failure yet is placed at `node`. A failure stays as it was.
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
