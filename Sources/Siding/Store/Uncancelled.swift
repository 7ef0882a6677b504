// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Runs `body` to its end even if the current task is cancelled. A clean stop must release leases and close run records, and a
/// cancelled task could not.
///
/// This needs an unstructured task, as only that is not cancelled with the current one. It is awaited at once.
func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(StoreError) -> Value
) async throws(StoreError) -> Value {
    let result = await Task { () async -> Result<Value, StoreError> in
        do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
    }.value
    return try result.get()
}

/// Lets `body` run for `grace` after the current task is cancelled, then cancels it too; at once if it does not need that time then.
///
/// This needs unstructured tasks, as only those are not cancelled with the current one. The work is awaited at once, and the
/// timer ends with it.
func outlasting<Value: Sendable>(
    _ grace: Duration, on clock: any Clock<Duration>, ifNeeded needsIt: @escaping @Sendable () -> Bool,
    _ body: @escaping @Sendable () async -> Value
) async -> Value {
    let cancellation = ChangeSignal()
    let work = Task { await body() }
    let timer = Task {
        await cancellation.wait(past: 0)
        if needsIt() { try? await clock.sleep(for: grace) }
        work.cancel()
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
        await work.value
    } onCancel: {
        cancellation.fire()
    }
}
