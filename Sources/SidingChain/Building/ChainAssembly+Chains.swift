extension ChainAssembly {
    /// A chain that makes a request, sends it and reads the response, with all the wrappers that the assembly is set up for.
    ///
    /// - Parameters:
    ///   - request: makes the draft of a request; runs once per call.
    ///   - response: reads a successful response; runs on each attempt.
    public func chain<Input: Sendable, Output: Sendable>(
        from request: some Node<Input, RequestDraft>, to response: some Node<Response<ReplyBody?>, Output>
    ) -> any Node<Input, Output> {
        abortable(logged(request, attempt(exchange(response))))
    }

    /// A chain that makes a request, sends it and downloads the response to a file.
    ///
    /// - Parameters:
    ///   - request: makes the request.
    ///   - destination: the file.
    ///   - limit: the maximum size of the file in bytes. The transport's limits apply as well: see
    ///     ``TransportSettings/forDownloads(upTo:within:)``.
    public func chain<Input: Sendable>(
        from request: some Node<Input, RequestDraft>, downloadingTo destination: FileDestination, limit: Int = .max
    ) -> any Node<Input, DownloadedFile> {
        abortable(logged(request, attempt(download(exchange(PassNode()), destination, limit))))
    }

    /// A chain whose decoded response comes from the origin or from the cache, as `policy` decides.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if the assembly has no cache.
    public func chain<Input: Sendable, Output: Sendable>(
        from request: some Node<Input, RequestDraft>, by policy: CachePolicy, bodyLimit: Int,
        decode: some Node<LoadedResponse, Output>
    ) throws(Failure) -> any Node<Input, Response<Output>> {
        let tracks = try tracks(from: request, bodyLimit)
        return abortable(withCachePolicy(policy, tracks.server, tracks.cached, decode))
    }

    /// A chain that returns the stored response, if there is one, and then the origin's response.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if the assembly has no cache.
    public func cacheThenServer<Input: Sendable, Output: Sendable>(
        from request: some Node<Input, RequestDraft>, bodyLimit: Int, decode: some Node<LoadedResponse, Output>
    ) throws(Failure) -> any Node<Input, ResponseSequence<Output>> {
        let tracks = try tracks(from: request, bodyLimit)
        return abortable(withCachedResponse(tracks.server, tracks.cached, decode))
    }
}

// MARK: - The parts, in order

extension ChainAssembly {
    private func exchange<Output: Sendable>(
        _ response: some Node<Response<ReplyBody?>, Output>
    ) -> any Node<RequestDraft, Output> {
        let credentials: [any MetadataProvider] = access.map { [$0.token] } ?? []
        return joined(outgoing(credentials + providers), joined(sent(), read(response)))
    }

    /// The rest of the request half. It is part of the attempt, since credentials are fetched on each attempt.
    private func outgoing(
        _ providers: [any MetadataProvider]
    ) -> any Node<RequestDraft, OutgoingRequest> {
        let creating = HeaderInjectorNode(headerFields)
            .then(RequestCreatorNode(providers: providers, secretQueryNames: secretQueryNames))
        guard let query else { return creating }
        return URLQueryInjectorNode(encoding: queryEncoding, query).then(creating)
    }

    private func sent() -> any Node<OutgoingRequest, Reply> {
        let sending: any Node<OutgoingRequest, Reply> =
            if let cache {
                ETagNode(
                    RequestSenderNode(budgeted), cache: cache.responses, keying: cache.keying,
                    wallClock: wallClock)
            } else {
                RequestSenderNode(budgeted)
            }
        return reportsProgress ? joined(UploadProgressNode(), sending) : sending
    }

    private func read<Output: Sendable>(
        _ response: some Node<Response<ReplyBody?>, Output>
    ) -> any Node<Reply, Output> {
        let content = ResponseDataPreprocessorNode().then(response)
        let measured: any Node<Reply, Output> =
            reportsProgress ? joined(DownloadProgressNode(), content) : content
        let checked = joined(ResponseHTTPErrorProcessorNode(), measured)
        let processed: any Node<Reply, Output> =
            if let errorEnvelope { joined(errorEnvelope, checked) } else { checked }
        return joined(ResponseProcessorNode(), processed)
    }

    private func download(
        _ exchange: some Node<RequestDraft, Response<ReplyBody?>>, _ destination: FileDestination, _ limit: Int
    ) -> any Node<RequestDraft, DownloadedFile> {
        FileDownloadNode(exchange, to: destination, limit: limit, secretQueryNames: secretQueryNames)
    }

    /// Adds the wrappers of one request. From the outermost: per-request middlewares, retries, sign-in, per-attempt
    /// middlewares, the wait for the request budget, the deadline, and error mapping.
    private func attempt<Exchange: Node>(
        _ exchange: Exchange
    ) -> any Node<RequestDraft, Exchange.Output> where Exchange.Input == RequestDraft {
        perRequest(retried(keptSignedIn(perAttempt(waitingForBudget(timed(mappingErrors(exchange)))))))
    }

    private func logged<Request: Node, Rest: Node>(
        _ request: Request, _ rest: Rest
    ) -> any Node<Request.Input, Rest.Output> where Request.Output == Rest.Input {
        LoggerNode(request.then(rest), excluding: logExclusions)
    }

    /// Outermost, also around the chains to the origin and to the cache, because one handle cancels one call.
    private func abortable<Call: Node>(_ call: Call) -> any Node<Call.Input, Call.Output> {
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

    private func retried<Attempt: Node>(_ attempt: Attempt) -> any Node<Attempt.Input, Attempt.Output> {
        guard retry.retries > 0 else { return attempt }
        return RetryNode(attempt, policy: retry, jitter: jitter, clock: clock, wallClock: wallClock)
    }

    private func perAttempt<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<Attempt.Input, Attempt.Output> where Attempt.Input == RequestDraft {
        guard let middlewares else { return attempt }
        return MiddlewareNode(attempt, middlewares: middlewares, running: .oncePerAttempt)
    }

    private func perRequest<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<Attempt.Input, Attempt.Output> where Attempt.Input == RequestDraft {
        guard let middlewares else { return attempt }
        return MiddlewareNode(attempt, middlewares: middlewares, running: .oncePerRequest)
    }

    private func joined<First: Node, Second: Node>(
        _ first: First, _ second: Second
    ) -> any Node<First.Input, Second.Output> where First.Output == Second.Input {
        first.then(second)
    }
}

// MARK: - Chains to the origin and to the cache

extension ChainAssembly {
    private func tracks<Input: Sendable>(
        from request: some Node<Input, RequestDraft>, _ bodyLimit: Int
    ) throws(Failure) -> (server: any Node<Input, LoadedResponse>, cached: any Node<Input, LoadedResponse>) {
        guard let cache else {
            throw Failure(
                .invalidRequest, phase: .notSent, detail: "a cache policy needs a cache: give the assembly one")
        }
        let loader = ResponseDataLoaderNode(limit: bodyLimit)
        let reader = CacheReaderNode(cache.responses, keying: cache.keying, wallClock: wallClock)
            .then(ResponseDataPreprocessorNode()).then(loader)
        return (
            logged(request, attempt(exchange(loader))), logged(request, joined(outgoing([]), reader))
        )
    }

    private func withCachePolicy<Server: Node, Cached: Node, Decode: Node>(
        _ policy: CachePolicy, _ server: Server, _ cached: Cached, _ decode: Decode
    ) -> any Node<Server.Input, Response<Decode.Output>>
    where
        Server.Output == LoadedResponse, Cached.Input == Server.Input, Cached.Output == LoadedResponse,
        Decode.Input == LoadedResponse
    {
        CachePolicyNode(policy, server: server, cached: cached, decode: decode)
    }

    private func withCachedResponse<Server: Node, Cached: Node, Decode: Node>(
        _ server: Server, _ cached: Cached, _ decode: Decode
    ) -> any Node<Server.Input, ResponseSequence<Decode.Output>>
    where
        Server.Output == LoadedResponse, Cached.Input == Server.Input, Cached.Output == LoadedResponse,
        Decode.Input == LoadedResponse
    {
        CacheThenServerNode(server: server, cached: cached, decode: decode)
    }
}

/// A response half that passes the content to the node around it.
private struct PassNode: Node {
    var steps: [String] { [] }

    func process(
        _ input: Response<ReplyBody?>, _ context: ChainContext
    ) async throws(Failure) -> Response<ReplyBody?> {
        input
    }
}
