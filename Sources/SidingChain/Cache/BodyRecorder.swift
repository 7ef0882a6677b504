internal import SidingSynchronization

/// Keeps what passes of a body, up to a limit, so that it can be stored once it is whole.
final class BodyRecorder: Sendable {
    /// Nil once the body can no longer become whole.
    private let recorded: Mutex<[UInt8]?>
    private let limit: Int

    init(limit: Int) {
        recorded = Mutex([])
        self.limit = limit
    }

    func append(_ chunk: [UInt8]) {
        recorded.withLock { bytes in
            guard let held = bytes?.count, held + chunk.count <= limit else { return bytes = nil }
            bytes?.append(contentsOf: chunk)
        }
    }

    /// The body broke off, whatever comes after.
    func discard() {
        recorded.withLock { $0 = nil }
    }

    /// The whole body, given once; nil where it is too large, broke off, or is not of the declared `length`.
    func finish(length: Int?) -> [UInt8]? {
        recorded.withLock { bytes in
            defer { bytes = nil }
            return length == nil || length == bytes?.count ? bytes : nil
        }
    }
}

extension ReplyBody {
    /// The same body, which hands its bytes to `store` before its end is told, where it has been read whole.
    ///
    /// - Parameters:
    ///   - limit: a body with more bytes is not recorded.
    ///   - length: how many bytes there must be, where that is known.
    func recorded(
        upTo limit: Int, length: Int?, _ store: @escaping @Sendable ([UInt8]) async -> Void
    ) -> ReplyBody {
        if let length, length > limit { return self }
        let recorder = BodyRecorder(limit: limit)
        return ReplyBody(length: self.length) { () async throws(SidingChain.Failure) -> [UInt8]? in
            let chunk: [UInt8]?
            do throws(SidingChain.Failure) { chunk = try await next() } catch {
                recorder.discard()
                throw error
            }
            if let chunk {
                recorder.append(chunk)
            } else if let whole = recorder.finish(length: length) {
                await store(whole)
            }
            return chunk
        }
    }
}
