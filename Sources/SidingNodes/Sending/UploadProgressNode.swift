// SPDX-License-Identifier: Apache-2.0
public import SidingChain
internal import SidingSynchronization

/// Reports the progress of a request body: at the start, at most once per percent, and at the end.
///
/// Place it between `RequestCreatorNode` and `RequestSenderNode`. It reports to the call's `CallHandle`, and to a closure
/// if one is given. A chunk counts once the connection asks for the next one. A body that is sent again, for a retry or a
/// redirect, counts from zero again. Bytes in memory are sent in chunks of 64 KiB; a request without a body is complete at once.
public struct UploadProgressNode: Node {
    private let report: (@Sendable (TransferProgress, ChainContext) -> Void)?

    /// - Parameter report: called in addition to the call's handle, by the task that sends the bytes, one call at a time.
    public init(_ report: (@Sendable (TransferProgress, ChainContext) -> Void)? = nil) {
        self.report = report
    }

    public func process(_ input: OutgoingRequest, _ context: ChainContext) async throws(Failure) -> OutgoingRequest {
        let length = input.body.length
        let tell: @Sendable (TransferProgress) -> Void = { [report] progress in
            context.handle?.uploads.report(progress)
            report?(progress, context)
        }
        // A transport never reads an empty body.
        guard length != 0 else {
            tell(TransferProgress(completed: 0, total: 0))
            return input
        }
        var request = input
        let chunks = Self.chunks(of: input.body)
        request.body = .stream(length: length) {
            Self.counted(chunks(), ProgressReporter(total: length.map(Int64.init), tell))
        }
        return request
    }

    private static func counted(
        _ next: @escaping @Sendable () async throws -> [UInt8]?, _ reporter: ProgressReporter
    ) -> @Sendable () async throws -> [UInt8]? {
        // The size of the chunk that was returned last.
        let handed = Mutex(0)
        return {
            reporter.advance(by: handed.exchange(0))
            guard let chunk = try await next() else {
                reporter.finish()
                return nil
            }
            handed.exchange(chunk.count)
            return chunk
        }
    }

    private static func chunks(of body: EncodedBody) -> @Sendable () -> @Sendable () async throws -> [UInt8]? {
        switch body {
        case .none: { { nil } }
        case .stream(_, let chunks): chunks
        case .bytes(let bytes): { ByteChunks(bytes).next }
        }
    }
}

/// Returns bytes in memory in chunks.
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
