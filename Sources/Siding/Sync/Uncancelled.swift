/// Runs `body` to its end even where the current task is cancelled: giving back leases and closing run records is part of
/// a clean stop, and a cancelled task could not do it.
///
/// The task is unstructured, as only such a one does not inherit the cancellation; it is awaited at once.
func uncancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(StoreError) -> Value
) async throws(StoreError) -> Value {
    let result = await Task { () async -> Result<Value, StoreError> in
        do throws(StoreError) { return .success(try await body()) } catch { return .failure(error) }
    }.value
    return try result.get()
}
