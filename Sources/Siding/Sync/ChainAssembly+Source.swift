internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials

extension ChainAssembly {
    /// The assembly of every chain to `source`, its fetches and its writes alike: its fields, its credentials, its patience.
    ///
    /// - Parameters:
    ///   - subject: which of the source's rules for failures are asked; nil for none.
    ///   - budget: what keeps the requests within the source's limits; nil where it has none.
    init(
        to source: Source, for subject: FailureRule.Subject?, over transport: any Transport,
        within budget: BudgetUse? = nil, in environment: Environment
    ) {
        let provider = AuthorizationProvider(authorization: source.authorization)
        self.init(
            transport: transport, connectivity: environment.connectivity, headerFields: source.headerFields,
            providers: [provider], query: { try await provider.query() },
            secretQueryNames: source.authorization.secretQueryNames, retry: source.retry,
            deadline: source.transport.totalTimeout, jitter: environment.jitter, clock: environment.clock,
            wallClock: environment.wallClock)
        self.budget = budget
        guard let subject else {
            access = source.authorization.access
            return
        }
        errorEnvelope = source.errorEnvelope(for: subject)
        access = source.authorization.access?.alsoRefused { failure, context in
            source.isRefusedCredential(failure, of: subject, isResendable: context.isResendable ?? false)
        }
    }

    /// A chain that asks the origin itself about one thing: a GET that no cache answers, as what one has may be older than what
    /// gave rise to the question (RFC 9111 §5.2.1.4).
    ///
    /// Whoever asks whether a write arrived makes the assembly for no subject: its answers have a meaning of their own, which no
    /// rule for failures changes.
    ///
    /// - Parameter limit: the most bytes of the answer.
    func question(upTo limit: Int) -> any Node<HTTPURL, LoadedResponse> {
        chain(
            from: RequestRouterNode<HTTPURL> { url in
                RequestDraft(route: Route(.get, url), headerFields: [.cacheControl: "no-cache"])
            },
            to: ResponseDataLoaderNode(limit: limit))
    }
}
