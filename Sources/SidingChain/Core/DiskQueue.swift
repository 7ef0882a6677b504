internal import Dispatch

/// Runs an actor's file work on a queue of its own: a disk that takes seconds for an fsync holds up nobody else.
///
/// The threads of Swift's pool are as few as the machine's cores, and two of them waiting for a network disk would stand
/// for all of a small machine.
final class DiskQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "siding.download")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
