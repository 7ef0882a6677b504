internal import SidingSynchronization

/// The member sets whose columns exist already, so that most records cost the view nothing.
final class KnownMemberSets: Sendable {
    /// The maximum number of member sets; beyond it the memory starts over, for records whose members are keys of a map.
    private static let limit = 10_000
    private let memberSets = Mutex<[String: Set<UInt64>]>([:])

    func known(of resource: String) -> Set<UInt64> {
        memberSets.withLock { $0[resource] ?? [] }
    }

    func add(_ new: Set<UInt64>, to resource: String) {
        guard !new.isEmpty else { return }
        memberSets.withLock { memberSets in
            let known = memberSets[resource] ?? []
            memberSets[resource] = known.count + new.count > Self.limit ? new : known.union(new)
        }
    }
}
