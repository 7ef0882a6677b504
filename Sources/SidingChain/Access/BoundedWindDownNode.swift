internal import SidingSynchronization

/// Ends soon after it was cancelled, whatever the request that it makes does then.
///
/// The request runs in a task of its own, which is cancelled with the call. A child task would be waited for to its end,
/// and where a program's closure is deaf to cancellation that may be much later, or never. What comes of a request that was
/// left to itself is told to `late`.
struct BoundedWindDownNode<Input: Sendable, Output: Sendable>: Node {
    typealias Outcome = Result<Output, Failure>

    /// How long a cancelled request is waited for.
    let patience: Duration
    let clock: any Clock<Duration>
    let request: @Sendable (Input, ChainContext) async throws(Failure) -> Output
    let late: @Sendable (Outcome) async -> Void

    func process(_ input: Input, _ context: ChainContext) async throws(Failure) -> Output {
        let end = Promise<Outcome>()
        let windDown = Mutex<Task<Void, Never>?>(nil)
        let asking = Task {
            let outcome = await answer(to: input, context)
            if !end.settle(outcome) { await late(outcome) }
        }
        defer { windDown.withLock { $0?.cancel() } }
        let outcome = await withTaskCancellationHandler {
            await end.value()
        } onCancel: {
            asking.cancel()
            // It ends with this call: by `patience`, or cancelled.
            let waiting = Task { [patience, clock] in
                do { try await clock.sleep(for: patience) } catch { return }
                _ = end.settle(.failure(Self.deaf(patience)))
            }
            windDown.withLock { $0 = waiting }
        }
        return try outcome.get()
    }

    private func answer(to input: Input, _ context: ChainContext) async -> Outcome {
        do throws(Failure) { return .success(try await request(input, context)) } catch { return .failure(error) }
    }

    private static func deaf(_ patience: Duration) -> Failure {
        Failure(
            .cancelled, phase: .maybeSent,
            detail: "the request was cancelled and did not end within \(patience): see that it heeds cancellation")
    }
}
