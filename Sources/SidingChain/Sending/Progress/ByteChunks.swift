internal import SidingSynchronization

/// Gives bytes in memory piece by piece.
final class ByteChunks: Sendable {
    static let size = 65_536

    private let bytes: [UInt8]
    private let position = Mutex(0)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    @Sendable func next() async throws -> [UInt8]? {
        let range = position.withLock { position in
            let end = min(position + Self.size, bytes.count)
            defer { position = end }
            return position..<end
        }
        return range.isEmpty ? nil : Array(bytes[range])
    }
}

/// The size of the chunk that was given away last.
final class HandedOver: Sendable {
    private let count = Mutex(0)

    /// Sets the size; gives the one before.
    @discardableResult
    func exchange(_ new: Int) -> Int {
        count.withLock { count in
            defer { count = new }
            return count
        }
    }
}
