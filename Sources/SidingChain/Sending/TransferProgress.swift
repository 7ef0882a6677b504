internal import SidingSynchronization

/// How far a download or an upload has come.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far; those that an earlier try left behind count as well.
    public var completed: Int64
    /// Bytes in all, where that was declared.
    public var total: Int64?

    public init(completed: Int64, total: Int64?) {
        (self.completed, self.total) = (completed, total)
    }

    /// From 0 to 1, or nil where the length is not known. Nothing to carry is 1.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(max(Double(completed) / Double(total), 0), 1) : 1
    }
}

/// Decides which steps of a transfer are worth a word: the first, one per hundredth, and the last.
struct ProgressMeter {
    /// Where the length is not known, a word per so many bytes: small answers move too, and a large file says so a few
    /// thousand times, of which a slow reader sees the newest.
    static let unknownStep: Int64 = 65_536

    private var progress: TransferProgress
    private var told: TransferProgress?
    private let step: Int64

    init(completed: Int64 = 0, total: Int64?) {
        progress = TransferProgress(completed: completed, total: total)
        step = total.map { max(($0 + 99) / 100, 1) } ?? Self.unknownStep
    }

    /// Takes note of `count` more bytes; gives what is to be told, if anything.
    mutating func advance(by count: Int) -> TransferProgress? {
        progress.completed += Int64(count)
        guard let told else { return tell() }
        return progress.completed - told.completed >= step || isComplete ? tell() : nil
    }

    /// What is to be told at the end, unless it was told already.
    mutating func finish() -> TransferProgress? { tell() }

    private var isComplete: Bool { progress.completed == progress.total }

    private mutating func tell() -> TransferProgress? {
        guard told != progress else { return nil }
        told = progress
        return progress
    }
}

/// What is told of a transfer's progress: how far it has come, and which call it belongs to.
///
/// It is called from the task that carries the bytes, one call at a time: what takes long belongs elsewhere.
public typealias ProgressReport = @Sendable (TransferProgress, ChainContext) -> Void

/// Counts the bytes of one body and tells what its meter finds worth telling.
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
