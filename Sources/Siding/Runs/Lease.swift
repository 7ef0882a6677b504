public import SidingChain

/// The exclusive right to work on something, such as a resource, held by one process at a time.
package struct Lease: Sendable, Hashable {
    /// `resource:posts`
    package var name: String
    /// Grows with each acquisition; a commit under an older token is refused.
    package var token: Int64

    package init(name: String, token: Int64) {
        self.name = name
        self.token = token
    }

    /// The lease that a listing of `resource` needs.
    package static func name(ofResource resource: String) -> String { "\(resourcePrefix)\(resource)" }

    /// The resource of this lease; nil for a lease of another kind.
    package var resource: String? {
        name.hasPrefix(Self.resourcePrefix) ? String(name.dropFirst(Self.resourcePrefix.count)) : nil
    }

    private static let resourcePrefix = "resource:"
}

/// Who holds a lease; shown to those who wait for it.
public struct LeaseHolder: Sendable, Hashable, Codable {
    public var processID: Int32
    public var host: String
    /// What the holder is doing, such as `sync posts`.
    public var command: String
    public var since: Timestamp

    public init(processID: Int32, host: String, command: String, since: Timestamp) {
        self.processID = processID
        self.host = host
        self.command = command
        self.since = since
    }
}

extension LeaseHolder {
    /// `'posts' is held by process 12 on host (sync posts) since 2024-05-01T12:00:00Z`
    func words(holding resource: String) -> String {
        "'\(resource)' is held by process \(processID) on \(host) (\(command)) since \(since.rfc3339)"
    }
}

/// The result of trying to acquire a lease.
package enum LeaseOutcome: Sendable, Hashable {
    case acquired(Lease)
    case held(by: LeaseHolder)
}
