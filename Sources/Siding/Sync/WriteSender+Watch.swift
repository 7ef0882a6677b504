public import SidingNetwork

extension WriteSender {
    /// Sends what is due whenever something is, until `isDone` says so or the task is cancelled.
    ///
    /// It looks again at least once per ``pace``, so that what other processes queue or leave behind is seen; and at once
    /// when the line returns.
    ///
    /// - Parameters:
    ///   - changes: tells when links, addresses and routes change; nil looks at the routes by the clock.
    ///   - isDone: asked after each look, by what there is to do after it.
    @concurrent
    public func watch(
        sources names: Set<String>? = nil, wakingOn changes: NetworkChanges? = nil,
        report: @escaping @Sendable (QueueEntry) -> Void = { _ in },
        until isDone: @Sendable (QueueOutlook) async throws(StoreError) -> Bool
    ) async throws(StoreError) {
        try await ServiceLoop(sender: self, sources: names, pace: Self.pace, changes: changes, report: report)
            .run(until: isDone)
    }
}
