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
