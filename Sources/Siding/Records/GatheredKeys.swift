internal import SidingSynchronization

/// Collects the keys in the rows of a statement: text unchanged, integers as digits.
final class GatheredKeys: Sendable {
    private let keys = Mutex<Set<String>>([])

    /// The keys in byte order.
    var all: [String] {
        keys.withLock { $0 }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func add(_ cell: QueryCell?) {
        switch cell {
        case .text(let text): keys.withLock { _ = $0.insert(text) }
        case .integer(let integer): keys.withLock { _ = $0.insert(String(integer)) }
        case .real, .blob, .null, nil: break
        }
    }
}
