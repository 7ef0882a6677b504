// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import SidingSynchronization

/// Stands between a client and a server, and breaks one connection when the client sends COMMIT.
package final class CommitProxy: Sendable {
    /// When the connection breaks.
    package enum Break {
        /// The server never gets the COMMIT.
        case beforeServer
        /// The server has committed, and its answer is dropped.
        case afterServer
        /// Nothing breaks: the server never gets the COMMIT, and the client waits.
        case never
    }

    /// The directory with the proxy's socket.
    package let directory: String
    /// Set when the proxy has the COMMIT.
    package let sawCommit = Promise<Void>()

    /// Serves one connection.
    package init(to server: String, breaks moment: Break) throws {
        var template = Array("/tmp/siding-proxy-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw SystemError() }
        directory = path
        let listener = try UnixSocket.listen(in: path)
        let sawCommit = sawCommit
        Thread.detachNewThread {
            defer { close(listener) }
            let client = accept(listener, nil, nil)
            guard client >= 0, let server = try? UnixSocket.connect(in: server) else { return }
            Self.copy(between: client, and: server, moment) { sawCommit.resolve(()) }
            close(client)
            close(server)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private static func copy(between client: Int32, and server: Int32, _ moment: Break, _ onCommit: () -> Void) {
        var isHolding = false
        while true {
            var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&sockets, 2, -1) > 0 else { return }
            for (source, target) in [(0, 1), (1, 0)] where sockets[source].revents != 0 {
                guard let bytes = try? FileSystem.readSome(65_536, from: sockets[source].fd), !bytes.isEmpty else {
                    return
                }
                if source == 0, String(decoding: bytes, as: UTF8.self).contains("COMMIT\0") {
                    onCommit()
                    switch moment {
                    case .beforeServer: return
                    case .afterServer:
                        try? FileSystem.writeAll(bytes, to: server)
                        _ = try? FileSystem.readSome(65_536, from: server)
                        return
                    case .never: isHolding = true
                    }
                }
                if !isHolding { try? FileSystem.writeAll(bytes, to: sockets[target].fd) }
            }
        }
    }
}
