// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingJSON

/// Tells a service manager what the service does, by the protocol of sd_notify(3): a datagram of `NAME=VALUE` lines to the socket
/// that `$NOTIFY_SOCKET` names.
struct NotifySocket: Sendable {
    /// The bytes of the address: a path, or a zero byte and a name for an abstract one (unix(7)).
    private let address: [UInt8]

    /// Nil without a service manager that listens.
    init?(_ environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], name.utf8.count > 1, name.hasPrefix("/") || name.hasPrefix("@")
        else { return nil }
        address = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
        guard address.count <= MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size else { return nil }
    }

    /// Says that the service works. `status` is what `systemctl status` shows.
    func ready(_ status: String) { send("READY=1\n\(Self.line(status))") }

    func shows(_ status: String) { send(Self.line(status)) }

    /// Says that the config is loaded anew, until ``ready(_:)``.
    func reloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send("RELOADING=1\nMONOTONIC_USEC=\(Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000)")
    }

    func stopping() { send("STOPPING=1\n\(Self.line("stopping"))") }

    func isAlive() { send("WATCHDOG=1") }

    private static func line(_ status: String) -> String { "STATUS=\(PlainText.oneLine(status))" }

    /// A message that cannot be sent is lost: the service works without its manager.
    private func send(_ message: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // A manager that does not read may not hold up the service.
        var patience = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + address.count)
        let bytes = Array(message.utf8)
        withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, length)
            }
        }
    }
}
