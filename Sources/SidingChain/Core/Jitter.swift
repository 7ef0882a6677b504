/// Where waiting gets its randomness from, so that tests can fix it.
public struct Jitter: Sendable {
    private let fraction: @Sendable () -> Double

    /// - Parameter fraction: gives numbers from 0 up to, but not including, 1.
    public init(_ fraction: @escaping @Sendable () -> Double) {
        self.fraction = fraction
    }

    /// The system's randomness.
    public static let random = Jitter { Double.random(in: 0..<1) }

    /// No spreading: the whole wait.
    public static let none = Jitter { 1 }

    /// "Full jitter": anything from nothing up to `ceiling`, so that clients that failed together do not return together.
    public func spread(_ ceiling: Duration) -> Duration { ceiling * fraction() }
}
