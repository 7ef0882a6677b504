// SPDX-License-Identifier: Apache-2.0
public import SidingChain

extension ChainAssembly {
    /// A chain that makes a request, sends it and downloads the response to a file.
    ///
    /// - Parameters:
    ///   - request: makes the request.
    ///   - destination: the file.
    ///   - limit: the maximum size of the file in bytes. The transport's limits apply as well: see
    ///     `TransportSettings.forDownloads(upTo:within:)`.
    public func chain<Input: Sendable>(
        from request: some Node<Input, RequestDraft>, downloadingTo destination: FileDestination, limit: Int = .max
    ) -> Chain<Input, DownloadedFile> {
        let download = FileDownloadNode(
            Chain(exchange(PassNode())), to: destination, limit: limit, secretQueryNames: secretQueryNames)
        return Chain(abortable(logged(request, attempt(download))))
    }

    /// A chain whose decoded response comes from the origin or from the cache, as `policy` decides.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the assembly has no cache.
    public func chain<Input: Sendable, Output: Sendable>(
        from request: some Node<Input, RequestDraft>, by policy: CachePolicy, bodyLimit: Int,
        decode: some Node<LoadedResponse, Output>
    ) throws(Failure) -> Chain<Input, ChainResponse<Output>> {
        let tracks = try tracks(from: request, bodyLimit)
        return Chain(
            abortable(CachePolicyNode(policy, server: tracks.server, cached: tracks.cached, decode: decode)))
    }

    /// A chain that returns the stored response, if there is one, and then the origin's response.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if the assembly has no cache.
    public func cacheThenServer<Input: Sendable, Output: Sendable>(
        from request: some Node<Input, RequestDraft>, bodyLimit: Int, decode: some Node<LoadedResponse, Output>
    ) throws(Failure) -> Chain<Input, ResponseSequence<Output>> {
        let tracks = try tracks(from: request, bodyLimit)
        return Chain(abortable(CacheThenServerNode(server: tracks.server, cached: tracks.cached, decode: decode)))
    }

    private func tracks<Input: Sendable>(
        from request: some Node<Input, RequestDraft>, _ bodyLimit: Int
    ) throws(Failure) -> (server: Chain<Input, LoadedResponse>, cached: Chain<Input, LoadedResponse>) {
        guard let cache = programNodes.cache else {
            throw Failure(
                .invalidRequest, phase: .notSent, detail: "a cache policy needs a cache: give the assembly one")
        }
        let loader = ResponseDataLoaderNode(limit: bodyLimit)
        let reader = CacheReaderNode(cache.responses, keying: cache.keying, wallClock: wallClock)
            .then(ResponseDataPreprocessorNode()).then(loader)
        return (
            Chain(logged(request, attempt(exchange(loader)))), Chain(logged(request, joined(outgoing([]), reader)))
        )
    }
}

/// A response half that passes the content to the node around it.
private struct PassNode: Node {
    var steps: [String] { [] }

    func process(
        _ input: ChainResponse<ReplyBody?>, _ context: ChainContext
    ) async throws(Failure) -> ChainResponse<ReplyBody?> {
        input
    }
}
