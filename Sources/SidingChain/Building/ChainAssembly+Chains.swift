// SPDX-License-Identifier: Apache-2.0
extension ChainAssembly {
    /// A chain that makes a request, sends it and reads the response, with all the wrappers that the assembly is set up for.
    ///
    /// - Parameters:
    ///   - request: makes the draft of a request; runs once per call.
    ///   - response: reads a successful response; runs on each attempt.
    public func chain<Input: Sendable, Output: Sendable>(
        from request: some Node<Input, RequestDraft>, to response: some Node<ChainResponse<ReplyBody?>, Output>
    ) -> Chain<Input, Output> {
        Chain(abortable(logged(request, attempt(exchange(response)))))
    }
}

// MARK: - The parts, in order

extension ChainAssembly {
    /// Steps 11 to 15: makes the HTTP request, sends it and reads the reply.
    package func exchange<Output: Sendable>(
        _ response: some Node<ChainResponse<ReplyBody?>, Output>
    ) -> any Node<RequestDraft, Output> {
        let credentials: [any MetadataProvider] = access.map { [$0.token] } ?? []
        return joined(outgoing(credentials + providers), joined(sent(), read(response)))
    }

    /// The rest of the request half. It is part of the attempt, since credentials are fetched on each attempt.
    package func outgoing(
        _ providers: [any MetadataProvider]
    ) -> any Node<RequestDraft, OutgoingRequest> {
        let creating = HeaderInjectorNode(headerFields)
            .then(RequestCreatorNode(providers: providers, secretQueryNames: secretQueryNames))
        guard let query else { return creating }
        return URLQueryInjectorNode(encoding: queryEncoding, query).then(creating)
    }

    private func sent() -> any Node<OutgoingRequest, Reply> {
        let sender = RequestSenderNode(budgeted)
        guard let added else { return sender }
        return added.sending(sender, wallClock: wallClock)
    }

    private func read<Output: Sendable>(
        _ response: some Node<ChainResponse<ReplyBody?>, Output>
    ) -> any Node<Reply, Output> {
        let content = ResponseDataPreprocessorNode().then(response)
        let received: any Node<Reply, Output> = if let added { added.receiving(content) } else { content }
        let checked = joined(ResponseHTTPErrorProcessorNode(), received)
        let processed: any Node<Reply, Output> =
            if let errorEnvelope { joined(errorEnvelope, checked) } else { checked }
        return joined(ResponseProcessorNode(), processed)
    }

    /// Steps 4 to 10: the wrappers of one request.
    package func attempt<Exchange: Node>(
        _ exchange: Exchange
    ) -> any Node<RequestDraft, Exchange.Output> where Exchange.Input == RequestDraft {
        perRequest(retried(keptSignedIn(perAttempt(waitingForBudget(timed(mappingErrors(exchange)))))))
    }

    /// Steps 2 and 3: the request half, followed by `rest`.
    package func logged<Request: Node, Rest: Node>(
        _ request: Request, _ rest: Rest
    ) -> any Node<Request.Input, Rest.Output> where Request.Output == Rest.Input {
        LoggerNode(request.then(rest), excluding: logExclusions)
    }

    /// Step 1. It is also around chains to the origin and to the cache, because one handle cancels one call.
    package func abortable<Call: Node>(_ call: Call) -> any Node<Call.Input, Call.Output> {
        isAbortable ? AborterNode(call) : call
    }
}

// MARK: - The wrappers

extension ChainAssembly {
    private func mappingErrors<Exchange: Node>(
        _ exchange: Exchange
    ) -> any Node<Exchange.Input, Exchange.Output> where Exchange.Input == RequestDraft {
        TechnicalErrorMapperNode(
            RequestAddingNode(wrapped: exchange, secretQueryNames: secretQueryNames), connectivity: connectivity)
    }

    private func timed<Attempt: Node>(_ attempt: Attempt) -> any Node<Attempt.Input, Attempt.Output> {
        guard let deadline else { return attempt }
        return attempt.timeLimit(deadline, clock: clock)
    }

    /// Outside of the deadline: waiting does not use up the time limit of the attempt, and credentials are added after the
    /// wait.
    private func waitingForBudget<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<Attempt.Input, Attempt.Output> where Attempt.Input == RequestDraft {
        guard let budget, let budgetWait else { return attempt }
        return BudgetWaitNode(attempt, budget.requests, budgetWait)
    }

    private var budgetWait: BudgetWait? {
        budget.map {
            BudgetWait(
                maximumWait: $0.maximumWait, clock: clock, wallClock: wallClock)
        }
    }

    /// The transport, with the request budget if there is one.
    private var budgeted: any Transport {
        guard let budget, let budgetWait else { return transport }
        return BudgetedTransport(transport: transport, budget: budget.requests, wait: budgetWait)
    }

    private func keptSignedIn<Attempt: Node>(_ attempt: Attempt) -> any Node<Attempt.Input, Attempt.Output> {
        guard let access else { return attempt }
        return attempt.accessSafe(access)
    }

    /// Also if the policy has no retries, since a request may ask for some.
    private func retried<Attempt: Node>(_ attempt: Attempt) -> any Node<Attempt.Input, Attempt.Output> {
        RetryNode(attempt, policy: retry, within: retryLimit, jitter: jitter, clock: clock, wallClock: wallClock)
    }

    private func perAttempt<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<Attempt.Input, Attempt.Output> where Attempt.Input == RequestDraft {
        guard let added else { return attempt }
        return added.oncePerAttempt(attempt)
    }

    private func perRequest<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<Attempt.Input, Attempt.Output> where Attempt.Input == RequestDraft {
        guard let added else { return attempt }
        return added.oncePerRequest(attempt)
    }
}
