// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import Tracing

/// What the span and counters of a delivery say.
extension WorkSpan {
    /// Delivers a write, or probes for it, within a span; notes, counts and times its end.
    ///
    /// - Parameter source: nil if no source of this name is known any more.
    static func ofDelivery<Next>(
        _ write: ClaimedWrite, to source: Source?, on clock: any Clock<Duration>,
        _ deliver: () async throws(StoreError) -> (entry: QueueEntry?, next: Next)
    ) async throws(StoreError) -> (entry: QueueEntry?, next: Next) {
        try await within("siding.delivery", kind: .client) { span throws(StoreError) in
            let (entry, name) = (write.entry, write.entry.source)
            span.set("siding.entry", entry.id)
            span.set("siding.source", name)
            span.set("siding.resource", entry.resource)
            span.set("siding.attempt", entry.attempts + 1)
            span.set("siding.probe", write.probeToRun == nil ? nil : "true")
            span.set("http.request.method", write.method.rawValue)
            span.set("url.full", Redaction.url(write.url, also: source?.authorization.secretQueryNames ?? []))
            let stopwatch = Stopwatch(clock)
            let turn = try await deliver()
            // Another sender took the entry over, because this one seemed dead.
            let outcome = turn.entry?.state.rawValue ?? "lost"
            span.set("siding.outcome", outcome)
            if let after = turn.entry, after.state != .done, let error = after.lastError {
                span.fail(error.name, status: error.status)
            }
            Instrument.deliveries.count(("source", name), ("outcome", outcome))
            Instrument.deliveryDuration.record(stopwatch.elapsed(), ("source", name))
            return turn
        }
    }
}
