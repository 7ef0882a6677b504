// SPDX-License-Identifier: Apache-2.0
public import SidingChain

extension ChainAssembly {
    /// Functions of the program that see or change each request before it is sent; nil for none.
    public var middlewares: Middlewares? {
        get { programNodes.middlewares }
        set { programNodes.middlewares = newValue }
    }

    /// Whether the transfer progress is reported to the call's `CallHandle`.
    public var reportsProgress: Bool {
        get { programNodes.reportsProgress }
        set { programNodes.reportsProgress = newValue }
    }

    /// Stores responses, for conditional requests and for the chains with a ``CachePolicy``.
    ///
    /// Stored responses are looked up without calling providers and middlewares, which may need the network. Therefore put
    /// fields that the origin varies on, such as a language, into `headerFields`.
    public func cache(_ responses: any ResponseCache, keying: CacheKeying) -> ChainAssembly {
        with(\.programNodes.cache, CacheUse(responses: responses, keying: keying))
    }

    /// The nodes of this module in the chains of the assembly.
    var programNodes: ProgramNodes {
        get { added as? ProgramNodes ?? ProgramNodes() }
        set { added = newValue }
    }
}

/// A cache and its keying.
struct CacheUse: Sendable {
    let responses: any ResponseCache
    let keying: CacheKeying
}

/// Middlewares, cache and progress, in their places of the order. The complete form of a chain, outermost first:
///
/// ```
/// AborterNode(LoggerNode(request half → MiddlewareNode(RetryNode(AccessSafeNode(MiddlewareNode(DeadlineNode(
///     TechnicalErrorMapperNode(
///         URLQueryInjectorNode → HeaderInjectorNode → RequestCreatorNode → UploadProgressNode →
///         ETagNode(RequestSenderNode) → ResponseProcessorNode → ResponseErrorEnvelopeNode →
///         ResponseHTTPErrorProcessorNode → DownloadProgressNode → ResponseDataPreprocessorNode →
///         response half))))))))
/// ```
struct ProgramNodes: AddedNodes {
    var middlewares: Middlewares?
    var cache: CacheUse?
    var reportsProgress = false
    /// Told the progress in addition to the call's handle.
    var downloadProgress: (@Sendable (TransferProgress) -> Void)?
    var uploadProgress: (@Sendable (TransferProgress) -> Void)?

    func oncePerRequest<Attempts: Node>(
        _ attempts: Attempts
    ) -> any Node<RequestDraft, Attempts.Output> where Attempts.Input == RequestDraft {
        guard let middlewares else { return attempts }
        return MiddlewareNode(attempts, middlewares: middlewares, running: .oncePerRequest)
    }

    func oncePerAttempt<Attempt: Node>(
        _ attempt: Attempt
    ) -> any Node<RequestDraft, Attempt.Output> where Attempt.Input == RequestDraft {
        guard let middlewares else { return attempt }
        return MiddlewareNode(attempt, middlewares: middlewares, running: .oncePerAttempt)
    }

    func sending(_ sender: RequestSenderNode, wallClock: WallClock) -> any Node<OutgoingRequest, Reply> {
        let cached = caching(sender, wallClock)
        guard reportsProgress else { return cached }
        return joined(UploadProgressNode { [uploadProgress] progress, _ in uploadProgress?(progress) }, cached)
    }

    func receiving<Content: Node>(
        _ content: Content
    ) -> any Node<Reply, Content.Output> where Content.Input == Reply {
        guard reportsProgress else { return content }
        return joined(DownloadProgressNode { [downloadProgress] progress, _ in downloadProgress?(progress) }, content)
    }

    private func caching(_ sender: RequestSenderNode, _ wallClock: WallClock) -> any Node<OutgoingRequest, Reply> {
        guard let cache else { return sender }
        return ETagNode(sender, cache: cache.responses, keying: cache.keying, wallClock: wallClock)
    }
}
