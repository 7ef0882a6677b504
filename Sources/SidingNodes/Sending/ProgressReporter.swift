// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// Decides which steps of a transfer are reported: the first, one per percent, and the last.
struct ProgressMeter {
    /// The bytes between two reports if the length is unknown: small responses still show progress, and a large file causes a
    /// few thousand reports, of which a slow reader sees the newest.
    static let unknownStep: Int64 = 65_536

    private var progress: TransferProgress
    private var reported: TransferProgress?
    private let step: Int64

    init(completed: Int64 = 0, total: Int64?) {
        progress = TransferProgress(completed: completed, total: total)
        step = total.map { max(($0 + 99) / 100, 1) } ?? Self.unknownStep
    }

    /// Adds `count` bytes; returns the progress if it should be reported.
    mutating func advance(by count: Int) -> TransferProgress? {
        progress.completed += Int64(count)
        guard let reported else { return tell() }
        return progress.completed - reported.completed >= step || isComplete ? tell() : nil
    }

    /// The final progress, unless it was reported already.
    mutating func finish() -> TransferProgress? { tell() }

    private var isComplete: Bool { progress.completed == progress.total }

    private mutating func tell() -> TransferProgress? {
        guard reported != progress else { return nil }
        reported = progress
        return progress
    }
}

/// Counts the bytes of one body and reports the steps that its meter selects.
final class ProgressReporter: Sendable {
    private let meter: Mutex<ProgressMeter>
    private let tell: @Sendable (TransferProgress) -> Void

    init(completed: Int64 = 0, total: Int64?, _ tell: @escaping @Sendable (TransferProgress) -> Void) {
        self.meter = Mutex(ProgressMeter(completed: completed, total: total))
        self.tell = tell
    }

    func advance(by count: Int) {
        if let progress = meter.withLock({ $0.advance(by: count) }) { tell(progress) }
    }

    func finish() {
        if let progress = meter.withLock({ $0.finish() }) { tell(progress) }
    }
}
