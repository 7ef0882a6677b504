internal import FoundationEssentials

/// The machine's wall clock, where no other is given.
enum SystemTime {
    @Sendable static func secondsSince1970() -> Double { Date().timeIntervalSince1970 }
}
