// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import SidingChain
internal import SidingSynchronization

/// Reads the body of one exchange, within its limits. When the last copy of the reply is released, the exchange ends.
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

    /// The bytes that have arrived since the last call; waits for at least one. Nil at the end.
    func next() async throws(Failure) -> [UInt8]? {
        // If the declared length exceeds the limit, nothing needs to be read.
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

    /// Copies all parts into one array.
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
