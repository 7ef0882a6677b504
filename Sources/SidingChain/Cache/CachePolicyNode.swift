/// Who is asked for the one answer of a ``CachePolicyNode``. For two answers, the stored one first, see
/// ``CacheThenServerNode``.
public enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// The origin, always.
    case serverOnly = "server_only"
    /// What is stored, always; nothing goes to the network. Nothing stored is ``Failure/Reason/notCached``.
    case cacheOnly = "cache_only"
    /// The origin; what is stored where it could not be had (``Failure/allowsCachedAnswer``).
    case serverIfFailsCache = "server_if_fails_cache"
}

/// Chooses between the origin and what is stored, and says in the answer which it was and how old it is.
///
/// It joins two tracks that begin with the same input and end in a ``LoadedResponse``, and decodes what either gave:
/// ```
///            ┌─ server: retry, deadline, request, ETagNode(send), status, load ─┐
///   input ───┤                                                                  ├─ decode ─► Response<Model>
///            └─ cached: request, CacheReaderNode,                status, load ──┘
/// ```
/// The border is the loaded response, since there both tracks have the same type, the bytes can be compared, and the
/// checks before it (an error in an envelope, a status) hold for a stored answer too. Retry and deadline belong into the
/// server's track: the stored answer is for when they are at their end. Nodes of the tracks hand on ``Reply/source``.
///
/// The program's word outweighs `no-cache` and `must-revalidate`, which would leave nothing to show without a line; what is
/// not to be kept at all is said with `no-store`.
public struct CachePolicyNode<Server: Node, Cached: Node, Decode: Node>: Node
where
    Cached.Input == Server.Input, Server.Output == LoadedResponse, Cached.Output == LoadedResponse,
    Decode.Input == LoadedResponse
{
    private let policy: CachePolicy
    private let tracks: CacheTracks<Server, Cached, Decode>
    private let skipsServerWhileFresh: Bool

    /// - Parameters:
    ///   - skipsServerWhileFresh: whether ``CachePolicy/serverIfFailsCache`` asks nobody while the origin calls what is
    ///     stored fresh (RFC 9111 §4.2); it always asks unless said otherwise.
    ///   - server: asks the origin.
    ///   - cached: asks the cache; a ``CacheReaderNode`` in the place of the sender.
    ///   - decode: reads what either gave.
    public init(
        _ policy: CachePolicy, skipsServerWhileFresh: Bool = false, server: Server, cached: Cached, decode: Decode
    ) {
        self.policy = policy
        self.skipsServerWhileFresh = skipsServerWhileFresh
        tracks = CacheTracks(server: server, cached: cached, decode: decode)
    }

    public var steps: [String] { tracks.steps(name) }

    public func process(
        _ input: Server.Input, _ context: ChainContext
    ) async throws(Failure) -> Response<Decode.Output> {
        switch policy {
        case .serverOnly:
            return try await tracks.fromServer(input, context)
        case .cacheOnly:
            return try await tracks.fromCache(input, context)
        case .serverIfFailsCache:
            if skipsServerWhileFresh, let fresh = await tracks.storedAnswer(input, context, onlyFresh: true) {
                return fresh.answer
            }
            do { return try await tracks.fromServer(input, context) } catch {
                return try await instead(of: error, input, context)
            }
        }
    }

    private func instead(
        of failure: Failure, _ input: Server.Input, _ context: ChainContext
    ) async throws(Failure) -> Response<Decode.Output> {
        guard failure.allowsCachedAnswer, var stored = await tracks.storedAnswer(input, context)?.answer else {
            throw failure
        }
        stored.failure = failure
        return stored
    }
}

/// The two tracks of a cache policy and the decoding behind them.
struct CacheTracks<Server: Node, Cached: Node, Decode: Node>: Sendable
where
    Cached.Input == Server.Input, Server.Output == LoadedResponse, Cached.Output == LoadedResponse,
    Decode.Input == LoadedResponse
{
    let server: Server
    let cached: Cached
    let decode: Decode

    /// A stored answer, and the bytes that it was decoded from.
    typealias Stored = (answer: Response<Decode.Output>, bytes: [UInt8]?)

    func steps(_ name: String) -> [String] {
        let tracks = [server.steps, cached.steps].map { $0.joined(separator: " → ") }
        return ["\(name)(\(tracks.joined(separator: " | ")))"] + decode.steps
    }

    func fromServer(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> Response<Decode.Output> {
        try await answer(try await server.process(input, context), source: .server, context)
    }

    func fromCache(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> Response<Decode.Output> {
        let loaded = try await cached.process(input, context)
        return try await answer(loaded, source: loaded.source, context)
    }

    func answer(
        _ loaded: LoadedResponse, source: AnswerSource, _ context: ChainContext
    ) async throws(Failure) -> Response<Decode.Output> {
        var loaded = loaded
        loaded.source = source
        return loaded.with(body: try await decode.process(loaded, context))
    }

    /// What is stored, where there is something that can still be decoded; a miss is no failure here, all else is logged.
    ///
    /// - Parameter onlyFresh: whether an answer that the origin does not call fresh is left alone.
    func storedAnswer(_ input: Server.Input, _ context: ChainContext, onlyFresh: Bool = false) async -> Stored? {
        let log = CacheLog(context, node: "CacheReaderNode")
        return await log.attempt { () async throws -> Stored? in
            guard let loaded = try await lookedUp(input, context), loaded.source.isFresh || !onlyFresh else {
                return nil
            }
            return (try await answer(loaded, source: loaded.source, context), loaded.bytes)
        } ?? nil
    }

    private func lookedUp(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> LoadedResponse? {
        do { return try await cached.process(input, context) } catch {
            guard error.reason == .notCached, error.underlying == nil else { throw error }
            return nil
        }
    }
}
