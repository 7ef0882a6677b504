internal import HTTPTypes
internal import SidingChain

/// A page to fetch, conditionally if it is stored.
struct PageQuery: Sendable {
    var page: PageRequest
    /// The stored page with its validators; nil for an unconditional request.
    var stored: StoredPage?
}

/// Builds the chain that fetches a page: the usual assembly, from page request to bytes.
enum PageChain {
    /// The chain for the pages of `resource`.
    static func make(
        _ resource: AnyResource, transport: any Transport, budget: BudgetUse?, in environment: Environment
    ) -> any Node<PageQuery, LoadedResponse> {
        ChainAssembly(
            to: resource.source, for: .fetch, over: transport, within: budget, in: environment
        ).chain(
            from: RequestRouterNode<PageQuery> { try draft($0, resource) },
            to: ResponseDataLoaderNode(limit: resource.source.transport.maxBody))
    }

    private static func draft(_ query: PageQuery, _ resource: AnyResource) throws -> RequestDraft {
        var fields: HTTPFields = [:]
        if let etag = query.stored?.etag { fields[.ifNoneMatch] = etag }
        if let lastModified = query.stored?.lastModified { fields[.ifModifiedSince] = lastModified }
        guard let body = query.page.body else {
            return RequestDraft(route: Route(resource.method, query.page.url), headerFields: fields)
        }
        fields[.contentType] = resource.bodyType
        return RequestDraft(
            route: Route(resource.method, query.page.url), headerFields: fields, body: .bytes(Array(body.utf8)))
    }
}
