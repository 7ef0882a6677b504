// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

/// Runs work that waits for a disk or a lock on its own queue: as the executor of an actor, or job by job.
///
/// Swift's thread pool has only as many threads as the machine has cores, so two calls that wait for a network disk could block
/// everything else on a small machine. A separate queue needs a thread only while it works. (Dispatch has no
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

    /// Runs `work` after all earlier work and returns its result. Cancellation does not stop it.
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
