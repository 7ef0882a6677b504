// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// One request of a railway: previous outcome → generator → performer → processor → next outcome.
///
/// The performer is any node: a chain that calls an origin, or a database request. If the previous step failed and the
/// generator does not recover, the failure travels on and no node runs. Nothing is thrown: errors of user code and of nodes end
/// in the ``Try`` that the next step receives. A cancelled task begins no request.
public struct RequestStep<Previous: Sendable, Performer: Node, Value: Sendable>: Node {
    private let generator: RequestGenerator<Previous, Performer.Input>
    private let performance: Performance<Performer, Value>

    /// - Parameters:
    ///   - generator: makes the request.
    ///   - performer: the node that performs it.
    ///   - processor: turns the response into the step's value.
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
    /// A step whose value is the performer's own output.
    public init(_ generator: RequestGenerator<Previous, Performer.Input>, _ performer: Performer) {
        self.init(generator, performer, .unchanged)
    }
}

extension RequestStep where Value == Performer.Output, Previous == Performer.Input {
    /// A step that passes the previous value to `performer`.
    public init(_ performer: Performer) {
        self.init(.previous, performer)
    }
}

/// Performs a request and processes its response; shared by ``RequestStep`` and ``RequestBatchStep``.
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
    /// The outcome of a call as a value, with a new context unless one is given; throws nothing.
    public func outcome(of input: Input, _ context: ChainContext = ChainContext()) async -> Try<Output> {
        do throws(Failure) { return .success(try await process(input, context)) } catch { return .failure(error) }
    }
}

extension Node where Input == Void {
    /// The outcome of a call as a value, with a new context unless one is given; throws nothing.
    public func outcome(_ context: ChainContext = ChainContext()) async -> Try<Output> {
        await outcome(of: (), context)
    }
}

/// Performs several requests of a railway at once, each with its own outcome.
///
/// At most `concurrency` requests run at a time. Outcomes are in the order of the requests, and one failure does not affect the
/// others. Once the task is cancelled no further request is begun; those not begun are `Failure.Reason.cancelled`, phase not
/// sent. In logs each request has the call's ID and its position, from 1.
public struct RequestBatchStep<Previous: Sendable, Performer: Node, Value: Sendable>: Node {
    private let generator: RequestGenerator<Previous, [Try<Performer.Input>]>
    private let performance: Performance<Performer, Value>
    private let concurrency: Int

    /// - Parameters:
    ///   - generator: makes the requests; if an element is a failure, that is its outcome.
    ///   - performer: the node that performs each request.
    ///   - processor: turns each response into a value.
    ///   - concurrency: the maximum number of requests at a time, at least one; four by default.
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
    /// A step whose values are the performer's own outputs.
    public init(
        _ generator: RequestGenerator<Previous, [Try<Performer.Input>]>, _ performer: Performer, concurrency: Int = 4
    ) {
        self.init(generator, performer, .unchanged, concurrency: concurrency)
    }
}
