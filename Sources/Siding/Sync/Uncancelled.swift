internal import SidingSynchronization

/// Runs `body` to its end even where the current task is cancelled: giving back leases and closing run records is part of
/// a clean stop, and a cancelled task could not do it.
///
/// Only an unstructured task is not cancelled with the current one; it is awaited at once.
func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(StoreError) -> Value
) async throws(StoreError) -> Value {
    let result = await Task { () async -> Result<Value, StoreError> in
        do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
    }.value
    return try result.get()
}

/// Runs `body` on where the current task is cancelled, for `grace` more: then it is cancelled as well.
///
/// Only unstructured tasks are not cancelled with the current one; the work is awaited at once, and the timer ends with it.
func outlasting<Value: Sendable>(
    _ grace: Duration, on clock: any Clock<Duration>, _ body: @escaping @Sendable () async -> Value
) async -> Value {
    let cancellation = ChangeSignal()
    let work = Task { await body() }
    let timer = Task {
        await cancellation.wait(past: 0)
        try? await clock.sleep(for: grace)
        work.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
        await work.value
    } onCancel: {
        cancellation.fire()
    }
}
