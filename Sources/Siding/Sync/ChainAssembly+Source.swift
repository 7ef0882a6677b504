// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain
internal import SidingCredentials

extension ChainAssembly {
    /// Assembles every chain to `source`, for fetches and for writes: header fields, credentials, retries and deadline.
    ///
    /// - Parameters:
    ///   - subject: whose rules of the source's `errors:` apply; nil for none.
    ///   - budget: keeps the requests within the source's limits; nil if it has none.
    package init(
        to source: Source, for subject: FailureRule.Subject?, over transport: any Transport,
        within budget: BudgetUse? = nil, in environment: RuntimeEnvironment
    ) {
        let provider = AuthorizationProvider(authorization: source.authorization)
        self.init(
            transport: transport, connectivity: environment.connectivity, headerFields: source.headerFields,
            retry: source.retry, jitter: environment.jitter, clock: environment.clock,
            wallClock: environment.wallClock)
        (providers, query) = ([provider], { try await provider.query() })
        (secretQueryNames, deadline) = (source.authorization.secretQueryNames, source.transport.totalTimeout)
        (self.budget, retryLimit) = (budget, source.retryLimit)
        guard let subject else {
            access = source.authorization.access
            return
        }
        errorEnvelope = source.errorEnvelope(for: subject)
        access = source.authorization.access?.alsoRefused { failure, context in
            source.isRefusedCredential(failure, of: subject, isResendable: context.isResendable ?? false)
        }
    }

    /// A GET straight from the origin, used to verify one record or write: no cache may answer, as its copy may predate
    /// the event to verify (RFC 9111 §5.2.1.4).
    ///
    /// A delivery probe builds its assembly without a subject: its answers have a meaning of their own, and no failure rule may
    /// change it.
    ///
    /// - Parameter limit: the maximum size of the answer, in bytes.
    package func uncachedRequest(
        upTo limit: Int, sending fields: HTTPFields = [:]
    ) -> any Node<HTTPURL, LoadedResponse> {
        var fields = fields
        fields[.cacheControl] = "no-cache"
        return chain(
            from: RequestRouterNode<HTTPURL> { [fields] url in
                RequestDraft(route: RequestRoute(.get, url), headerFields: fields)
            },
            to: ResponseDataLoaderNode(limit: limit))
    }
}
