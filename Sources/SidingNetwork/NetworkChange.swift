internal import CNetlink

/// What of this machine's network changed.
///
/// Whether for better or worse is not told, since that cannot be known from one change: a route that goes may let another
/// one come to bear. Look again, with ``LinuxConnectivity``.
public struct NetworkChange: OptionSet, Sendable, Hashable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// An interface came, went, or went up or down, its carrier included.
    public static let links = NetworkChange(rawValue: UInt32(SIDING_NETLINK_LINK))
    /// An address was given, taken, or became usable.
    public static let addresses = NetworkChange(rawValue: UInt32(SIDING_NETLINK_ADDRESS))
    /// A route was added, changed or removed.
    public static let routes = NetworkChange(rawValue: UInt32(SIDING_NETLINK_ROUTE))
    /// There was more than could be told.
    public static let missed = NetworkChange(rawValue: UInt32(SIDING_NETLINK_MISSED))

    /// What is told, one by one.
    static let kinds: [(kind: NetworkChange, name: String)] = [
        (.links, "links"), (.addresses, "addresses"), (.routes, "routes"), (.missed, "missed"),
    ]

    public var description: String {
        Self.kinds.filter { contains($0.kind) }.map(\.name).joined(separator: ", ")
    }
}
