import Testing
import SidingTesting

/// The engines behind the `Store` protocol.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }

    func provider() throws -> any StoreProvider {
        switch self {
        case .memory: InMemoryStoreProvider()
        case .sqlite: try SQLiteStoreProvider()
        }
    }
}
