/// One request of a railway: what came before → generator → performer → processor → what comes after.
///
/// The performer is any node: a chain that asks an origin, or a request to a database. A failure before it that the
/// generator does not recover from travels on and no node runs. Nothing is thrown: user code that throws, and a node that
/// fails, end in the ``Try`` that the next step gets. In a task that was cancelled no request is begun.
public struct RequestStep<Previous: Sendable, Performer: Node, Value: Sendable>: Node {
    private let generator: RequestGenerator<Previous, Performer.Input>
    private let performance: Performance<Performer, Value>

    /// - Parameters:
    ///   - generator: makes the request.
    ///   - performer: the node that carries it out.
    ///   - processor: turns its answer into the step's value.
    public init(
        _ generator: RequestGenerator<Previous, Performer.Input>, _ performer: Performer,
        _ processor: ResultProcessor<Performer.Output, Value>
    ) {
        self.generator = generator
        self.performance = Performance(performer: performer, processor: processor)
    }

    public var steps: [String] { ["\(name)(\(performance.performer.steps.joined(separator: " → ")))"] }

    public func process(_ input: Try<Previous>, _ context: ChainContext) async throws(Failure) -> Try<Value> {
        await performance.outcome(of: generator.request(after: input), context)
    }
}

extension RequestStep where Value == Performer.Output {
    /// A step whose value is the node's own answer.
    public init(_ generator: RequestGenerator<Previous, Performer.Input>, _ performer: Performer) {
        self.init(generator, performer, .unchanged)
    }
}

extension RequestStep where Value == Performer.Output, Previous == Performer.Input {
    /// A step that asks `performer` with the value before.
    public init(_ performer: Performer) {
        self.init(.previous, performer)
    }
}

/// A request carried out and its answer processed: what single and several requests have in common.
struct Performance<Performer: Node, Value: Sendable>: Sendable {
    let performer: Performer
    let processor: ResultProcessor<Performer.Output, Value>

    func outcome(of request: Try<Performer.Input>, _ context: ChainContext) async -> Try<Value> {
        switch request {
        case .failure(let failure):
            return .failure(failure)
        case .success(let request):
            guard !Task.isCancelled else { return .failure(Failure(.cancelled, phase: .notSent)) }
            return await processor.value(of: await performer.outcome(of: request, context))
        }
    }
}

extension Node {
    /// The end of a call as a value: nothing is thrown.
    public func outcome(of input: Input, _ context: ChainContext) async -> Try<Output> {
        do throws(Failure) { return .success(try await process(input, context)) } catch { return .failure(error) }
    }
}
