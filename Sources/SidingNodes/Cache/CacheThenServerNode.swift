// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Returns the stored response at once and then the origin's: a sequence of one or two responses, distinguished by their
/// `ChainResponse.source`.
///
/// The second is omitted, and not even decoded, if its body equals the first byte for byte, which includes a 304. If nothing is
/// stored, or it can no longer be decoded, only the origin's response is returned. The tracks are those of a
/// ``CachePolicyNode``. Wrappers such as retry, deadline and logging belong inside the tracks, since this node returns as soon
/// as the sequence exists.
/// ```swift
/// for try await answer in try await chain.process(input, context) { show(answer.value, from: answer.source) }
/// ```
public struct CacheThenServerNode<Server: Node, Cached: Node, Decode: Node>: Node
where
    Cached.Input == Server.Input, Server.Output == LoadedResponse, Cached.Output == LoadedResponse,
    Decode.Input == LoadedResponse
{
    private let tracks: CacheTracks<Server, Cached, Decode>
    private let skipsServerWhileFresh: Bool
    private let endsSilently: Bool

    /// - Parameters:
    ///   - skipsServerWhileFresh: whether to skip the origin while the stored response is fresh (RFC 9111 §4.2); false by
    ///     default.
    ///   - endsSilently: whether the sequence just ends if the origin could not be reached after a stored response.
    ///     Every other failure is thrown, and every failure without a stored response.
    ///   - server: the track to the origin.
    ///   - cached: the track to the cache; a ``CacheReaderNode`` in place of the sender.
    ///   - decode: decodes the result of either track.
    public init(
        skipsServerWhileFresh: Bool = false, endsSilently: Bool = false, server: Server, cached: Cached, decode: Decode
    ) {
        self.skipsServerWhileFresh = skipsServerWhileFresh
        self.endsSilently = endsSilently
        tracks = CacheTracks(server: server, cached: cached, decode: decode)
    }

    public var steps: [String] { tracks.steps(name) }

    public func process(
        _ input: Server.Input, _ context: ChainContext
    ) async throws(Failure) -> ResponseSequence<Decode.Output> {
        ResponseSequence(
            stored: { await tracks.storedAnswer(input, context) },
            asked: { (delivered) throws(Failure) in try await second(after: delivered, input, context) })
    }

    private func second(
        after delivered: CacheTracks<Server, Cached, Decode>.Stored?, _ input: Server.Input, _ context: ChainContext
    ) async throws(Failure) -> ChainResponse<Decode.Output>? {
        guard let delivered else { return try await tracks.fromServer(input, context) }
        if skipsServerWhileFresh, delivered.answer.source.isFresh { return nil }
        do throws(Failure) {
            let loaded = try await tracks.server.process(input, context)
            guard loaded.bytes != delivered.bytes else { return nil }
            return try await tracks.answer(loaded, source: .server, context)
        } catch {
            guard endsSilently, error.allowsCachedAnswer else { throw error }
            return nil
        }
    }
}

/// One or two responses to one call: the stored one, then the origin's, each with its source.
///
/// The origin is called when the second response is awaited, by the awaiting task; a reader who stops after the first causes no
/// request. Each iteration is a call of its own.
public struct ResponseSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = ChainResponse<Value>
    public typealias Failure = SidingChain.Failure

    /// A stored response and its bytes.
    typealias Stored = (answer: ChainResponse<Value>, bytes: [UInt8]?)

    /// Returns the stored response.
    let stored: @Sendable () async -> Stored?
    /// Calls the origin after the stored response was delivered; nil if it has nothing new.
    let asked: @Sendable (Stored?) async throws(Failure) -> ChainResponse<Value>?

    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Stage {
            case stored
            case server(after: Stored?)
            case ended
        }

        private let sequence: ResponseSequence
        private var stage = Stage.stored

        init(_ sequence: ResponseSequence) {
            self.sequence = sequence
        }

        /// - Throws: the failure of the origin's call, even after a stored response.
        public mutating func next() async throws(SidingChain.Failure) -> ChainResponse<Value>? {
            if case .stored = stage {
                let found = await sequence.stored()
                stage = .server(after: found)
                if let found { return found.answer }
            }
            guard case .server(let delivered) = stage else { return nil }
            stage = .ended
            return try await sequence.asked(delivered)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension ResponseSequence: OutlivingOutput {
    package func continued(_ call: AbortableCall) -> ResponseSequence {
        let asked = asked
        return ResponseSequence(stored: stored) { delivered throws(Failure) in
            try await call.run { () async throws(Failure) -> ChainResponse<Value>? in try await asked(delivered) }
        }
    }
}
