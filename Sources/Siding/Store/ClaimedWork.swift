internal import SidingSynchronization

/// The queue entries and leases that this process works on.
///
/// A row names only the process that claimed it. If the end of the work could not be stored, such as on a full disk, the
/// process lives on but nobody in it completes the row. A row of this process that is not in this list was left behind.
final class ClaimedWork: Sendable {
    /// The token of each entry by its id, and of each lease by its name.
    private let tokens = Mutex<[String: Int64]>([:])

    /// Adds an entry or lease that this process works on.
    func take(_ name: String, _ token: Int64) {
        tokens.withLock { $0[name] = token }
    }

    /// Keeps a name that was claimed again meanwhile with another token.
    func leave(_ name: String, _ token: Int64) {
        tokens.withLock { tokens in
            if tokens[name] == token { tokens[name] = nil }
        }
    }

    /// Whether this process works on it.
    func holds(_ name: String) -> Bool {
        tokens.withLock { $0[name] != nil }
    }
}

/// The member sets whose columns exist already, so that most records cost the view nothing.
final class KnownMemberSets: Sendable {
    /// The maximum number of member sets; beyond it the memory starts over, for records whose members are keys of a map.
    private static let limit = 10_000
    private let shapes = Mutex<[String: Set<UInt64>]>([:])

    func known(of resource: String) -> Set<UInt64> {
        shapes.withLock { $0[resource] ?? [] }
    }

    func add(_ new: Set<UInt64>, to resource: String) {
        guard !new.isEmpty else { return }
        shapes.withLock { shapes in
            let known = shapes[resource] ?? []
            shapes[resource] = known.count + new.count > Self.limit ? new : known.union(new)
        }
    }
}
