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

/// Several requests of a railway at once, each with its own outcome.
///
/// At most `concurrency` requests are under way at a time; the outcomes come in the order of the requests, whichever
/// ended first, and one that fails leaves the others alone. Once the task is cancelled no further request is begun: those
/// that were not are ``Failure/Reason/cancelled``, phase not sent. In logs each is named by the call and its place, from 1.
public struct RequestBatchStep<Previous: Sendable, Performer: Node, Value: Sendable>: Node {
    private let generator: RequestGenerator<Previous, [Try<Performer.Input>]>
    private let performance: Performance<Performer, Value>
    private let concurrency: Int

    /// - Parameters:
    ///   - generator: makes the requests; where it gives a failure in the place of one, that is its outcome.
    ///   - performer: the node that carries each out.
    ///   - processor: turns each answer into a value.
    ///   - concurrency: the most requests at a time, at least one; four unless said otherwise.
    public init(
        _ generator: RequestGenerator<Previous, [Try<Performer.Input>]>, _ performer: Performer,
        _ processor: ResultProcessor<Performer.Output, Value>, concurrency: Int = 4
    ) {
        self.generator = generator
        self.performance = Performance(performer: performer, processor: processor)
        self.concurrency = max(concurrency, 1)
    }

    public var steps: [String] { ["\(name)(\(performance.performer.steps.joined(separator: " → ")))"] }

    public func process(_ input: Try<Previous>, _ context: ChainContext) async throws(Failure) -> Try<[Try<Value>]> {
        switch await generator.request(after: input) {
        case .failure(let failure): .failure(failure)
        case .success(let requests): .success(await outcomes(of: requests, context))
        }
    }

    private func outcomes(of requests: [Try<Performer.Input>], _ context: ChainContext) async -> [Try<Value>] {
        await withTaskGroup(of: (place: Int, outcome: Try<Value>).self) { group in
            var outcomes = [Try<Value>](
                repeating: .failure(Failure(.cancelled, phase: .notSent)), count: requests.count)
            for place in requests.indices {
                if place >= concurrency, let ended = await group.next() { outcomes[ended.place] = ended.outcome }
                var own = context.withoutHandle
                own.requestID += ".\(place + 1)"
                group.addTask { [own] in (place, await performance.outcome(of: requests[place], own)) }
            }
            for await ended in group { outcomes[ended.place] = ended.outcome }
            return outcomes
        }
    }
}

extension RequestBatchStep where Value == Performer.Output {
    /// A step whose values are the node's own answers.
    public init(
        _ generator: RequestGenerator<Previous, [Try<Performer.Input>]>, _ performer: Performer, concurrency: Int = 4
    ) {
        self.init(generator, performer, .unchanged, concurrency: concurrency)
    }
}
