// SPDX-License-Identifier: Apache-2.0
internal import CNetlink
internal import SidingSynchronization

/// The source of network change notifications: an rtnetlink(7) socket; in tests, a pipe.
struct NetworkSocket: Sendable {
    /// Opens it in the calling thread's network namespace. It becomes readable when notifications arrive, and never blocks.
    var open: @Sendable () throws(NetworkWatchFault) -> Int32
    /// Reads the pending notifications.
    var take: @Sendable (_ descriptor: Int32) throws(NetworkWatchFault) -> NetworkChange
    var close: @Sendable (_ descriptor: Int32) -> Void

    static let rtnetlink = NetworkSocket(
        open: { () throws(NetworkWatchFault) in
            let descriptor = siding_netlink_open()
            guard descriptor >= 0 else { throw NetworkWatchFault(code: errno) }
            return descriptor
        },
        take: { (descriptor) throws(NetworkWatchFault) in
            var changes: UInt32 = 0
            guard siding_netlink_take(descriptor, &changes) == 0 else { throw NetworkWatchFault(code: errno) }
            return NetworkChange(rawValue: changes)
        },
        close: { _ = SidingSynchronization.close($0) })
}

/// Why network changes cannot be watched, and what to do about it.
public struct NetworkWatchFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The errno of the kernel.
    public let code: Int32

    /// - Parameter code: an errno, such as `EAFNOSUPPORT`.
    public init(code: Int32) {
        self.code = code
    }

    public var description: String {
        "cannot watch the network (netlink: \(String(cString: strerror(code)))): \(advice). Entries that wait for a connection are "
            + "retried at set times only."
    }

    private var advice: String {
        switch code {
        case EAFNOSUPPORT, EPERM, EACCES, EPROTONOSUPPORT:
            "a sandbox forbids it; in a systemd unit add AF_NETLINK to RestrictAddressFamilies="
        case EMFILE, ENFILE: "too many files are open; raise the limit (ulimit -n, LimitNOFILE=)"
        default: "the system is short of memory, or has no netlink"
        }
    }
}
