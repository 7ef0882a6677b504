// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Which source a ``CachePolicyNode`` uses for its single response. For two responses, the stored one first, see
/// ``CacheThenServerNode``.
public enum CachePolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Always the origin.
    case serverOnly = "server_only"
    /// Always the cache, never the network. If nothing is stored, the call fails with `Failure.Reason.notCached`.
    case cacheOnly = "cache_only"
    /// The origin; the cache if the origin could not be reached (`Failure.allowsCachedAnswer`).
    case serverIfFailsCache = "server_if_fails_cache"
}

/// Chooses between the origin and the cache, and reports in the response which one it used and how old it is.
///
/// It joins two tracks that start with the same input and end in a `LoadedResponse`, and decodes the result:
/// ```
///            ┌─ server: retry, deadline, request, ETagNode(send), status, load ─┐
///   input ───┤                                                                  ├─ decode ─► ChainResponse<Model>
///            └─ cached: request, CacheReaderNode,                status, load ──┘
/// ```
/// The tracks join at the loaded response, because there both have the same type, the bytes can be compared, and earlier checks
/// (an error envelope, a status) apply to a stored response too. Retry and deadline belong in the server track: the stored
/// response is used when they have given up. Nodes of the tracks must keep `Reply.source`.
///
/// The policy overrides `no-cache` and `must-revalidate`, which would leave nothing to show while offline. Use `no-store` for
/// responses that must not be stored at all.
public struct CachePolicyNode<Server: Node, Cached: Node, Decode: Node>: Node
where
    Cached.Input == Server.Input, Server.Output == LoadedResponse, Cached.Output == LoadedResponse,
    Decode.Input == LoadedResponse
{
    private let policy: CachePolicy
    private let tracks: CacheTracks<Server, Cached, Decode>
    private let skipsServerWhileFresh: Bool

    /// - Parameters:
    ///   - policy: which track is asked, and when.
    ///   - skipsServerWhileFresh: whether ``CachePolicy/serverIfFailsCache`` skips the origin while the stored response is
    ///     fresh (RFC 9111 §4.2); false by default.
    ///   - server: the track to the origin.
    ///   - cached: the track to the cache; a ``CacheReaderNode`` in place of the sender.
    ///   - decode: decodes the result of either track.
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
    ) async throws(Failure) -> ChainResponse<Decode.Output> {
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
    ) async throws(Failure) -> ChainResponse<Decode.Output> {
        guard failure.allowsCachedAnswer, var stored = await tracks.storedAnswer(input, context)?.answer else {
            throw failure
        }
        stored.failure = failure
        return stored
    }
}

/// The two tracks of a cache policy and the decoding after them.
struct CacheTracks<Server: Node, Cached: Node, Decode: Node>: Sendable
where
    Cached.Input == Server.Input, Server.Output == LoadedResponse, Cached.Output == LoadedResponse,
    Decode.Input == LoadedResponse
{
    let server: Server
    let cached: Cached
    let decode: Decode

    /// A stored response, and the bytes that it was decoded from.
    typealias Stored = (answer: ChainResponse<Decode.Output>, bytes: [UInt8]?)

    func steps(_ name: String) -> [String] {
        let tracks = [server.steps, cached.steps].map { $0.joined(separator: " → ") }
        return ["\(name)(\(tracks.joined(separator: " | ")))"] + decode.steps
    }

    func fromServer(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> ChainResponse<
        Decode.Output
    > {
        try await answer(try await server.process(input, context), source: .server, context)
    }

    func fromCache(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> ChainResponse<Decode.Output>
    {
        let loaded = try await cached.process(input, context)
        return try await answer(loaded, source: loaded.source, context)
    }

    func answer(
        _ loaded: LoadedResponse, source: ResponseSource, _ context: ChainContext
    ) async throws(Failure) -> ChainResponse<Decode.Output> {
        var loaded = loaded
        loaded.source = source
        return loaded.with(body: try await decode.process(loaded, context))
    }

    /// The stored response, if there is one that can still be decoded. A miss is not a failure here; every other failure is
    /// logged.
    ///
    /// - Parameter onlyFresh: whether to ignore a response that is not fresh.
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
