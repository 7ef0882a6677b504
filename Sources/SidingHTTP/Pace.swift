// SPDX-License-Identifier: Apache-2.0
/// Decides whether a response arrives too slowly.
///
/// Only time spent waiting for bytes counts, not the time between reads.
struct Pace: Sendable {
    private let bytesPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameters:
    ///   - bytesPerSecond: the minimum rate of each window; 0 for no limit.
    ///   - window: the waiting time after which the rate is checked.
    init(bytesPerSecond: Int, window: Duration) {
        (self.bytesPerSecond, self.window) = (bytesPerSecond, window)
    }

    /// Whether the window that ends with these `bytes`, after waiting `wait` for them, was too slow.
    mutating func isTooSlow(bytes count: Int, after wait: Duration) -> Bool {
        waited += wait
        bytes += count
        guard waited >= window, window > .zero else { return false }
        defer { (waited, bytes) = (.zero, 0) }
        return Double(bytes) < Double(bytesPerSecond) * (waited / .seconds(1))
    }
}
