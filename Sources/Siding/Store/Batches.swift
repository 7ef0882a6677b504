// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

/// Splits work over many rows into transactions that take about the same time each: others write in between, and a killed process
/// loses one of them.
struct Batches: Sendable {
    /// How much work a transaction does.
    struct Limits: Sendable {
        /// The most that a transaction may hold up other writers; half of what they are promised.
        var time = Duration.milliseconds(50)
        /// The pause between two transactions. A process that waits for the writer lock polls every 4 milliseconds
        /// (``WriterLock``), so without a pause it would hardly ever find the lock free.
        var pause = Duration.milliseconds(5)
        /// The rows of the first transaction: nobody knows yet how long they take.
        var first = 500
        /// Fewer rows would cost more in commits than they give back in time.
        var rows = 50...50_000
    }

    private let store: Store
    private let limits: Limits
    private var rows: Int
    private var isFirst = true

    init(_ store: Store, _ limits: Limits = Limits()) {
        (self.store, self.limits) = (store, limits)
        rows = limits.first
    }

    /// Writes the next transaction, after a pause behind the one before.
    ///
    /// - Parameter body: is given the number of rows that fit the time.
    mutating func write<Value: Sendable>(
        _ body: @escaping @Sendable (_ rows: Int, borrowing Transaction) throws -> Value
    ) async throws(StoreError) -> Value {
        let (clock, count) = (store.monotonicClock, rows)
        // Cancelled, the wait ends at once, and whoever calls this decides what that means.
        if !isFirst { try? await clock.sleep(for: limits.pause) }
        isFirst = false
        // The wait for the lock does not count, nor does the commit: fewer rows do not make the disk faster.
        let (value, elapsed) = try await store.write { transaction in
            let stopwatch = Stopwatch(clock)
            let value = try body(count, transaction)
            return (value, stopwatch.elapsed())
        }
        let took = max(elapsed, .milliseconds(1))
        // At most twice as many as before: the first rows may be short ones.
        let fitting = min(count * 2, Int(Double(count) * (limits.time / took)))
        rows = min(max(fitting, limits.rows.lowerBound), limits.rows.upperBound)
        return value
    }
}

extension Store {
    /// Hands `elements` to `body` in their order, as many per transaction as fit its time. If one fails, or the task
    /// is cancelled, those before it stay.
    ///
    /// - Returns: all that `body` returned, in order.
    func inBatches<Element: Sendable, Value: Sendable>(
        of elements: [Element], _ limits: Batches.Limits = Batches.Limits(),
        _ body: @escaping @Sendable ([Element], borrowing Transaction) throws -> [Value]
    ) async throws(StoreError) -> [Value] {
        var batches = Batches(self, limits)
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        var done = 0
        while done < elements.count {
            if done > 0, Task.isCancelled { throw StoreError(.cancelled, "cancelled; what was done before stays done") }
            let from = done
            let (count, more) = try await batches.write { rows, transaction in
                let batch = Array(elements[from...].prefix(rows))
                return (batch.count, try body(batch, transaction))
            }
            done += count
            values += more
        }
        return values
    }
}
