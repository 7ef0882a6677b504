// SPDX-License-Identifier: Apache-2.0
internal import CNetlink

/// The kinds of changes to this machine's network.
///
/// A change does not say whether a connection is now possible: a removed route may activate another one. Check with
/// ``LinuxConnectivity``.
public struct NetworkChange: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// One bit per kind.
    public let rawValue: UInt32

    /// - Parameter rawValue: the bits of ``links``, ``addresses``, ``routes`` and ``missed``; others have no meaning.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// An interface was added, removed, or went up or down, including its carrier.
    public static let links = NetworkChange(rawValue: UInt32(SIDING_NETLINK_LINK))
    /// An address was added, removed, or became usable.
    public static let addresses = NetworkChange(rawValue: UInt32(SIDING_NETLINK_ADDRESS))
    /// A route was added, changed or removed.
    public static let routes = NetworkChange(rawValue: UInt32(SIDING_NETLINK_ROUTE))
    /// Notifications were lost.
    public static let missed = NetworkChange(rawValue: UInt32(SIDING_NETLINK_MISSED))

    /// The single kinds with their names.
    static let kinds: [(kind: NetworkChange, name: String)] = [
        (.links, "links"), (.addresses, "addresses"), (.routes, "routes"), (.missed, "missed"),
    ]

    public var description: String {
        Self.kinds.filter { contains($0.kind) }.map(\.name).joined(separator: ", ")
    }
}
