// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Counts the bytes that calls send and receive, as the network carries them: compressed, with header fields, and with TLS.
///
/// It also adds up how long the calls waited because the origin or a limit asked for it.
///
/// What a connection needs before its first request, such as the handshake of TLS, is not counted.
/// ```swift
/// let meter = TrafficMeter()
/// try await meter.counting { try await chain.process(input, context) }
/// print(meter.total)
/// ```
package final class TrafficMeter: Sendable {
    /// The meter of the calls of this task; nil if nobody counts.
    @TaskLocal package static var current: TrafficMeter?

    private let counted = Atomic<Int>(0)
    private let waitedMicroseconds = Atomic<Int>(0)
    /// The meter of the work around, which counts as well.
    private let outer = TrafficMeter.current

    package init() {}

    /// The number of bytes so far.
    package var total: Int { counted.load(ordering: .relaxed) }

    /// How long calls waited for a `Retry-After` or for a place in a budget.
    package var waited: Duration { .microseconds(waitedMicroseconds.load(ordering: .relaxed)) }

    package func add(wait: Duration) {
        waitedMicroseconds.add(Int(wait.wholeMicroseconds), ordering: .relaxed)
        outer?.add(wait: wait)
    }

    package func add(_ count: Int) {
        counted.add(count, ordering: .relaxed)
        outer?.add(count)
    }

    /// Runs `body`, whose calls this meter counts, bodies that are read later included.
    package func counting<Value, Failure: Error>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await Self.$current.withValue(self) {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
