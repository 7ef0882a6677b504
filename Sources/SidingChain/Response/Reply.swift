internal import SidingSynchronization

/// The answer of an origin: the head, and the body as it arrives, decompressed, to be read once.
public typealias Reply = Response<ReplyBody>

/// The bytes of an answer, chunk by chunk. One reader, once.
public struct ReplyBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = SidingChain.Failure

    /// The number of bytes to come, where the origin declared it and no compression hides it.
    public let length: Int?
    private let pull: @Sendable () async throws(Failure) -> [UInt8]?

    /// A body that asks `pull` for each chunk until it returns nil.
    public init(length: Int?, pull: @escaping @Sendable () async throws(Failure) -> [UInt8]?) {
        self.length = length
        self.pull = pull
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        let pull: @Sendable () async throws(Failure) -> [UInt8]?

        public mutating func next() async throws(Failure) -> [UInt8]? {
            try await pull()
        }
    }

    /// The next chunk, or nil at the end: the iterator's step, for a body that wraps another.
    func next() async throws(Failure) -> [UInt8]? { try await pull() }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pull: pull)
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: the most bytes to accept.
    /// - Throws: ``Failure/Reason/tooLarge(limit:)`` as soon as the body grows past `limit`, and whatever ends the stream.
    public func collect(upTo limit: Int) async throws(Failure) -> [UInt8] {
        if let length, length > limit { throw Failure(.tooLarge(limit: limit), phase: .answered) }
        var whole: [UInt8] = []
        // A declared length is the origin's word: reserve no more than a page's worth on trust.
        whole.reserveCapacity(Swift.min(length ?? 65_536, 4 << 20))
        while let chunk = try await pull() {
            guard whole.count + chunk.count <= limit else {
                throw Failure(.tooLarge(limit: limit), phase: .answered)
            }
            whole.append(contentsOf: chunk)
        }
        return whole
    }

    /// As much of the body as fits in `limit` bytes; the rest is left unread. A stream that breaks gives what had come.
    func prefix(upTo limit: Int) async -> [UInt8] {
        var start: [UInt8] = []
        while start.count < limit, let chunk = try? await pull() {
            start.append(contentsOf: chunk.prefix(limit - start.count))
        }
        return start
    }
}

extension ReplyBody {
    /// A body that lies in memory already.
    public static func bytes(_ bytes: [UInt8]) -> ReplyBody {
        let once = OneShot(bytes)
        return ReplyBody(length: bytes.count) { () async throws(SidingChain.Failure) -> [UInt8]? in once.take() }
    }
}

/// Gives its bytes to the first who asks, and nil ever after.
final class OneShot: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes.isEmpty ? nil : bytes)
    }

    func take() -> [UInt8]? {
        bytes.withLock { held in
            defer { held = nil }
            return held
        }
    }
}
