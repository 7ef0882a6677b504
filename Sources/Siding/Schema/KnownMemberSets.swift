internal import SidingSynchronization

/// Which record shapes have had their columns looked at, so that most records cost the view nothing.
final class KnownMemberSets: Sendable {
    /// Records whose members are keys of a map come in endless shapes; past this many the memory begins again.
    private static let limit = 10_000
    private let shapes = Mutex<[String: Set<UInt64>]>([:])

    func known(of resource: String) -> Set<UInt64> {
        shapes.withLock { $0[resource] ?? [] }
    }

    func forget(_ resource: String) {
        shapes.withLock { _ = $0.removeValue(forKey: resource) }
    }

    func add(_ new: Set<UInt64>, to resource: String) {
        guard !new.isEmpty else { return }
        shapes.withLock { shapes in
            let known = shapes[resource] ?? []
            shapes[resource] = known.count + new.count > Self.limit ? new : known.union(new)
        }
    }
}
