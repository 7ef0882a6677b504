// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization

/// The service manager's end of sd_notify(3): keeps what a service says.
final class ServiceManager: Sendable {
    struct Refusal: Error {
        let reason: String
    }

    /// As `NOTIFY_SOCKET` has it: a path, or `@` and a name of the abstract namespace.
    let address: String
    private let messages = Mutex<[String]>([])
    private let arrived = ChangeSignal()
    private let descriptor: Int32

    init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isAbstract = address.hasPrefix("@")
        if !isAbstract { unlink(address) }
        let name = isAbstract ? [0] + address.utf8.dropFirst() : Array(address.utf8)
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let result = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw Refusal(reason: "\(address): \(String(cString: strerror(errno)))") }
        Thread { [self] in receive() }.start()
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            messages.withLock { $0.append(String(decoding: buffer.prefix(count), as: UTF8.self)) }
            arrived.fire()
        }
        close(descriptor)
    }

    /// Hears nothing more.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// All lines so far, in order.
    var lines: [String] { messages.withLock { $0.flatMap { $0.split(separator: "\n").map(String.init) } } }

    /// Waits until so many lines begin with `text`.
    func hears(_ text: String, times: Int = 1) async throws {
        while true {
            let count = arrived.count
            if lines.count(where: { $0.hasPrefix(text) }) >= times { return }
            await arrived.wait(past: count)
            try Task.checkCancellation()
        }
    }
}
