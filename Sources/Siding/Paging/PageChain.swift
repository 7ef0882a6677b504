internal import HTTPTypes
internal import SidingChain

/// A page to ask for, on the condition that it changed.
struct PageQuery: Sendable {
    var page: PageRequest
    /// What is stored of the page; nil asks without a condition.
    var stored: StoredPage?
}

/// The chain that fetches a page: the assembly that everyone else uses, with a page at its front and bytes at its end.
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
