import SidingSynchronization

/// Collects values from several tasks.
final class Gathered<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    func append(_ value: Value) { state.withLock { $0.append(value) } }

    var values: [Value] { state.withLock { $0 } }
}
