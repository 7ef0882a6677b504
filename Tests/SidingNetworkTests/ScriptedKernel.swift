// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import Testing

@testable import SidingNetwork

/// Speaks like the kernel through a pair of sockets: each byte is a set of kinds.
final class ScriptedKernel: Sendable {
    private static let fault: UInt8 = 0xFF
    private let near: Int32
    private let far: Int32
    private let closures = Mutex(0)
    private let closing = ChangeSignal()

    init() throws {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(far)
    }

    var socket: NetworkSocket {
        NetworkSocket(
            open: { [near] in near },
            take: { (descriptor) throws(NetworkWatchFault) in
                var change: NetworkChange = []
                var byte: UInt8 = 0
                while read(descriptor, &byte, 1) == 1 {
                    guard byte != Self.fault else { throw NetworkWatchFault(code: EBADF) }
                    change.formUnion(NetworkChange(rawValue: UInt32(byte)))
                }
                return change
            },
            close: { [closing, weak self] descriptor in
                close(descriptor)
                self?.closures.withLock { $0 += 1 }
                closing.fire()
            })
    }

    var closed: Int { closures.withLock { $0 } }

    /// Whether nobody holds the near end any more.
    var isDeaf: Bool { send(1) == EPIPE }

    func tell(_ change: NetworkChange) {
        #expect(send(UInt8(change.rawValue)) == nil)
    }

    /// Returns when `changes` knows it, too.
    func tell(_ change: NetworkChange, _ changes: NetworkChanges) async {
        let mark = changes.mark
        tell(change)
        await changes.next(after: mark)
    }

    func breakDown() {
        #expect(send(Self.fault) == nil)
    }

    func untilClosed() async { await closing.wait(past: 0) }

    private func send(_ byte: UInt8) -> Int32? {
        var byte = byte
        return Glibc.send(far, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 ? nil : errno
    }
}
