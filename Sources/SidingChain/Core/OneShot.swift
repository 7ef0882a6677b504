internal import SidingSynchronization

/// Gives its bytes to the first who asks, and nil ever after.
final class OneShot: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes.isEmpty ? nil : bytes)
    }

    func take() -> [UInt8]? {
        bytes.withLock { held in
            defer { held = nil }
            return held
        }
    }
}
