internal import NIOCore
internal import SidingChain
internal import SidingSynchronization

/// Reads the body of one exchange, within its limits. When the last copy of its reply is dropped, the exchange ends.
final class BodyReader: Sendable {
    private struct Progress {
        var received = 0
        var pace: Pace
    }

    private let exchange: Exchange
    private let length: Int?
    private let limit: Int
    private let progress: Mutex<Progress>

    init(_ exchange: Exchange, length: Int?, limit: Int, pace: Pace) {
        (self.exchange, self.length, self.limit) = (exchange, length, limit)
        self.progress = Mutex(Progress(pace: pace))
    }

    deinit {
        exchange.abort(.cancelled)
    }

    /// What has come of the body since the last call, waiting for the first byte of it; nil at the end.
    func next() async throws(Failure) -> [UInt8]? {
        // A declared length spares reading what will be refused.
        if let length, length > limit { throw refusal(.tooLarge(limit: limit)) }
        let start = exchange.isDry ? ContinuousClock.now : nil
        guard let parts = try await exchange.parts() else { return nil }
        let count = parts.reduce(0) { $0 + $1.readableBytes }
        let wait = start.map { ContinuousClock.now - $0 } ?? .zero
        let (received, isTooSlow) = progress.withLock { progress in
            progress.received += count
            return (progress.received, progress.pace.isTooSlow(bytes: count, after: wait))
        }
        if received > limit { throw refusal(.tooLarge(limit: limit)) }
        if isTooSlow { throw refusal(.timeout(.minimumRate)) }
        return Self.joined(parts, count)
    }

    private func refusal(_ reason: Failure.Reason) -> Failure {
        exchange.abort(reason)
        return Failure(reason, phase: .answered)
    }

    /// One copy of the bytes, whatever the number of parts.
    private static func joined(_ parts: [ByteBuffer], _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            for part in parts {
                part.withUnsafeReadableBytes { source in
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(target)[filled...])
                        .copyMemory(from: source)
                    filled += source.count
                }
            }
        }
    }
}
