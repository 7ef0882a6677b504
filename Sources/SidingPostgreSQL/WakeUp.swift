// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// Ends a poll(2) from another thread: two connected sockets, of which one becomes readable.
final class WakeUp: Sendable {
    /// For poll(2).
    let descriptor: Int32
    private let sender: Int32

    /// - Throws: ``PostgreSQLError`` of kind `unreachable` if too many files are open.
    init() throws(PostgreSQLError) {
        var ends: [Int32] = [-1, -1]
        // Not a pipe: only socketpair(2) sets both flags before another thread can start a program.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw PostgreSQLError(.unreachable, "no socket could be opened: \(SystemError().message)")
        }
        (descriptor, sender) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(sender)
    }

    /// Makes the descriptor readable. If the buffer is full, it is readable already.
    func signal() {
        var byte: UInt8 = 1
        _ = write(sender, &byte, 1)
    }

    /// Makes the descriptor unreadable until the next signal.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
    }
}
