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
