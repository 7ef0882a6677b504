/// What a request carries: nothing, bytes in memory, or a stream that is read once per attempt.
public enum RequestBody: Sendable {
    /// No body at all: not even an empty one.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Chunks that are made anew for each attempt.
    ///
    /// - `length`: the number of bytes, where it is known; else the body is sent chunked.
    /// - `chunks`: gives a closure that returns the next chunk, or nil at the end.
    case stream(length: Int?, chunks: @Sendable () -> @Sendable () async throws -> [UInt8]?)

    /// The number of bytes, where it is known before sending.
    public var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }
}
