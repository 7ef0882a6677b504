internal import Dispatch

/// Does work that waits for a disk or a lock on a queue of its own: as the executor of an actor, or job by job.
///
/// The threads of Swift's pool are as few as the machine's cores. Two calls that wait for a network disk would hold up
/// everything else on a small machine; a queue of one's own costs a thread only while it works. (Dispatch has no
/// `DispatchSerialQueue` on Linux.)
package final class SerialWorker: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: names the queue in debuggers.
    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    /// The result of `work`, which runs behind the work that was given before. A cancellation does not stop it.
    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
