// SPDX-License-Identifier: Apache-2.0
extension Siding {
    /// Cancels running syncs, deliveries and ``run()``, and closes the store, also one that was given open. Returns once all have
    /// ended: a write in flight that may not be sent twice has up to eight seconds for its answer.
    ///
    /// After it every call of this ``Siding``, of its copies and of its ``store`` throws a ``StoreError`` of kind
    /// ``StoreError/Kind/closed``, and ``events`` end. Closing again does nothing. A program that ends without it loses nothing.
    public func close() async {
        let (activity, store) = (activity, store)
        // Also if the caller is cancelled: what is under way must end before its store does.
        try? await uncancelled { () async throws(StoreError) in
            await activity.close()
            await store.close()
        }
    }
}

extension Siding {
    /// Does `body` of another module, which ``close()`` cancels and waits for.
    ///
    /// - Throws: ``StoreError/Kind/closed`` without doing anything after that; the error of `body`.
    package func perform<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await activity.perform(body)
    }
}
