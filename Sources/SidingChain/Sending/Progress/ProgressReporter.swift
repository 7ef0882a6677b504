internal import SidingSynchronization

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
