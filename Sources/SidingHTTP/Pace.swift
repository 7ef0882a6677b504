/// Judges whether an answer comes fast enough to be worth waiting for.
///
/// Only time spent waiting for bytes counts; time in which nobody asked for them is the reader's own.
struct Pace: Sendable {
    private let bytesPerSecond: Int
    private let window: Duration
    private var waited = Duration.zero
    private var bytes = 0

    /// - Parameters:
    ///   - bytesPerSecond: what each window must reach; 0 for no such rule.
    ///   - window: how much waiting is judged at a time.
    init(bytesPerSecond: Int, window: Duration) {
        (self.bytesPerSecond, self.window) = (bytesPerSecond, window)
    }

    /// Whether the window that ends with these `bytes`, which took `wait` to come, was too slow.
    mutating func isTooSlow(bytes count: Int, after wait: Duration) -> Bool {
        waited += wait
        bytes += count
        guard waited >= window, window > .zero else { return false }
        defer { (waited, bytes) = (.zero, 0) }
        return Double(bytes) < Double(bytesPerSecond) * (waited / .seconds(1))
    }
}
