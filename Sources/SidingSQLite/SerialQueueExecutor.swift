import Dispatch

/// Runs an actor's work on a private queue, so that waiting for a disk or a lock never holds a thread of Swift's pool.
///
/// Two actors that block on the shared pool of a two-core machine hold up everything else in the process; a queue of
/// one's own costs a thread only while it works. (Dispatch has no `DispatchSerialQueue` on Linux.)
final class SerialQueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
