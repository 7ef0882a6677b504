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
    typealias Stored = (answer: Sourced<Decode.Output>, bytes: [UInt8]?)

    func steps(_ name: String) -> [String] {
        let tracks = [server.steps, cached.steps].map { $0.joined(separator: " → ") }
        return ["\(name)(\(tracks.joined(separator: " | ")))"] + decode.steps
    }

    func fromServer(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> Sourced<Decode.Output> {
        try await answer(try await server.process(input, context), source: .server, context)
    }

    func fromCache(_ input: Server.Input, _ context: ChainContext) async throws(Failure) -> Sourced<Decode.Output> {
        let loaded = try await cached.process(input, context)
        return try await answer(loaded, source: loaded.source, context)
    }

    func answer(
        _ loaded: LoadedResponse, source: AnswerSource, _ context: ChainContext
    ) async throws(Failure) -> Sourced<Decode.Output> {
        Sourced(try await decode.process(loaded, context), source: source)
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
