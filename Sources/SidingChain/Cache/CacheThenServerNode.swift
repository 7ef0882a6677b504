/// Shows what is stored at once and what the origin says after it: a sequence of one or two answers, told apart by their
/// ``Response/source``.
///
/// The second is left out where its body equals the first byte for byte, a 304 included; then it is not even decoded.
/// Where nothing is stored, or it can no longer be decoded, the origin's is the only answer. The tracks are those of a
/// ``CachePolicyNode``; wrappers such as retry, deadline and logging belong into them, since this node itself has answered
/// as soon as the sequence is there.
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
    ///   - skipsServerWhileFresh: whether nobody is asked while the origin calls what is stored fresh (RFC 9111 §4.2); the
    ///     origin is always asked unless said otherwise.
    ///   - endsSilently: whether the sequence just ends where the origin could not be had after a stored answer
    ///     (``Failure/allowsCachedAnswer``). Every other failure is thrown, and every failure without a stored answer.
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
    ) async throws(Failure) -> AnswerSequence<Decode.Output> {
        AnswerSequence(
            stored: { await tracks.storedAnswer(input, context) },
            asked: { (told) throws(Failure) in try await second(after: told, input, context) })
    }

    private func second(
        after told: CacheTracks<Server, Cached, Decode>.Stored?, _ input: Server.Input, _ context: ChainContext
    ) async throws(Failure) -> Response<Decode.Output>? {
        guard let told else { return try await tracks.fromServer(input, context) }
        if skipsServerWhileFresh, told.answer.source.isFresh { return nil }
        do throws(Failure) {
            let loaded = try await tracks.server.process(input, context)
            guard loaded.bytes != told.bytes else { return nil }
            return try await tracks.answer(loaded, source: .server, context)
        } catch {
            guard endsSilently, error.allowsCachedAnswer else { throw error }
            return nil
        }
    }
}

/// One or two answers to one call: what is stored, then what the origin says, each with its source.
///
/// The origin is asked when the second answer is waited for, by the task that waits; who stops after the first asks
/// nobody. Each iteration is a call of its own.
public struct AnswerSequence<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Response<Value>
    public typealias Failure = SidingChain.Failure

    /// A stored answer and its bytes.
    typealias Stored = (answer: Response<Value>, bytes: [UInt8]?)

    /// Gives what is stored.
    let stored: @Sendable () async -> Stored?
    /// Asks the origin, after what was told already; nil where it has nothing to add.
    let asked: @Sendable (Stored?) async throws(Failure) -> Response<Value>?

    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum Stage {
            case stored
            case server(after: Stored?)
            case ended
        }

        private let sequence: AnswerSequence
        private var stage = Stage.stored

        init(_ sequence: AnswerSequence) {
            self.sequence = sequence
        }

        /// - Throws: what kept the origin from answering, also after a stored answer.
        public mutating func next() async throws(SidingChain.Failure) -> Response<Value>? {
            if case .stored = stage {
                let found = await sequence.stored()
                stage = .server(after: found)
                if let found { return found.answer }
            }
            guard case .server(let told) = stage else { return nil }
            stage = .ended
            return try await sequence.asked(told)
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
