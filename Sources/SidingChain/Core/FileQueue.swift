internal import Dispatch

/// Does work that waits for a disk on a queue of its own, so that it never holds a thread of Swift's pool.
struct FileQueue: Sendable {
    private let queue = DispatchQueue(label: "siding.files")

    /// What `work` gives, one work after the other.
    func run<Value: Sendable>(
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
