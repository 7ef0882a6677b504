// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// The response of an origin as it arrives: the head, and the decompressed body, to be read once.
public typealias Reply = ChainResponse<ReplyBody>

/// The bytes of a response in chunks. It can be read once, by one reader.
public struct ReplyBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = SidingChain.Failure

    /// The number of bytes to come, if the origin declared it and no compression hides it.
    public let length: Int?
    private let pull: @Sendable () async throws(Failure) -> [UInt8]?

    /// A body that calls `pull` for each chunk until it returns nil.
    public init(length: Int?, pull: @escaping @Sendable () async throws(Failure) -> [UInt8]?) {
        self.length = length
        self.pull = pull
    }

    /// The next chunk, or nil at the end.
    public func next() async throws(Failure) -> [UInt8]? { try await pull() }

    /// The body itself, since it is read once.
    public func makeAsyncIterator() -> ReplyBody { self }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: ``Failure/Reason/tooLarge(limit:)`` as soon as the body exceeds `limit`, and the failure that ends the stream.
    public func collect(upTo limit: Int) async throws(Failure) -> [UInt8] {
        if let length, length > limit { throw Failure(.tooLarge(limit: limit), phase: .answered) }
        var whole: [UInt8] = []
        while let chunk = try await pull() {
            guard whole.count + chunk.count <= limit else {
                throw Failure(.tooLarge(limit: limit), phase: .answered)
            }
            // A body in one piece is taken as it is, without a copy.
            guard !whole.isEmpty else {
                whole = chunk
                continue
            }
            // A declared length is not trustworthy: reserve at most 4 MiB.
            whole.reserveCapacity(Swift.min(length ?? 65_536, 4 << 20))
            whole.append(contentsOf: chunk)
        }
        return whole
    }

    /// The first `limit` bytes of the body; the rest is left unread. If the stream breaks, returns the bytes so far.
    package func prefix(upTo limit: Int) async -> [UInt8] {
        var start: [UInt8] = []
        while start.count < limit, let chunk = try? await pull() {
            start.append(contentsOf: chunk.prefix(limit - start.count))
        }
        return start
    }
}

extension ReplyBody {
    /// A body that is already in memory.
    public static func bytes(_ bytes: [UInt8]) -> ReplyBody {
        let rest = Mutex<[UInt8]?>(bytes.isEmpty ? nil : bytes)
        return ReplyBody(length: bytes.count) { () async throws(SidingChain.Failure) -> [UInt8]? in rest.exchange(nil) }
    }
}
