// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Foundation
package import SidingSynchronization

/// Stands between a client and a server, and acts when the client sends its first COMMIT.
package final class CommitProxy: Sendable {
    /// When the connection breaks.
    package enum Break: Sendable, CaseIterable {
        /// The server never gets the COMMIT.
        case beforeServer
        /// The server gets a part of the COMMIT.
        case within
        /// The server has committed, and its answer is dropped.
        case afterServer
        /// The server gets the COMMIT once ``release()`` is called, and cannot be reached through the proxy any more.
        case late
        /// Nothing breaks: the server gets the COMMIT once ``release()`` is called, and the client its answer.
        case pause
        /// Nothing breaks: the server never gets the COMMIT, and the client waits.
        case never
    }

    /// The directory with the proxy's socket.
    package let directory: String
    /// Set when the proxy has the COMMIT.
    package let sawCommit = Promise<Void>()
    private let released = DispatchSemaphore(value: 0)
    private let listener: Int32
    private let isPatient: Bool

    /// - Parameters:
    ///   - moment: nil: nothing happens at a COMMIT.
    ///   - isPatient: whether later connections are served too, and left alone.
    ///   - bytesPerSecond: how fast the line to the server is; nil for no limit.
    package init(
        to server: String, breaks moment: Break?, isPatient: Bool = false, bytesPerSecond: Int? = nil
    ) throws {
        var template = Array("/tmp/siding-proxy-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template).map({ String(cString: $0) }) else { throw SystemError() }
        (directory, self.isPatient) = (path, isPatient)
        listener = try UnixSocket.listen(in: path)
        // A server that stops must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        let line = Line(
            directory: path, sawCommit: sawCommit, released: released, bytesPerSecond: bytesPerSecond)
        Thread.detachNewThread { [listener] in
            var moment = moment
            repeat {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                defer { close(client) }
                guard let server = try? UnixSocket.connect(in: server) else { continue }
                defer { close(server) }
                line.copy(between: client, and: server, moment)
                moment = nil
            } while isPatient
            close(listener)
        }
    }

    deinit {
        // The thread of a patient proxy ends only now, and closes the socket.
        if isPatient { shutdown(listener, Int32(SHUT_RDWR)) }
        release()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Lets the COMMIT go to the server.
    package func release() { released.signal() }

    private struct Line: Sendable {
        let directory: String
        let sawCommit: Promise<Void>
        let released: DispatchSemaphore
        let bytesPerSecond: Int?

        /// Copies until one end closes, or the connection breaks.
        func copy(between client: Int32, and server: Int32, _ moment: Break?) {
            var (moment, isHolding) = (moment, false)
            while true {
                var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
                guard poll(&sockets, 2, -1) > 0 else { return }
                for (source, target) in [(0, 1), (1, 0)] where sockets[source].revents != 0 {
                    guard let bytes = try? FileSystem.readSome(65_536, from: sockets[source].fd), !bytes.isEmpty else {
                        return
                    }
                    if source == 0, let bytesPerSecond {
                        Thread.sleep(forTimeInterval: Double(bytes.count) / Double(bytesPerSecond))
                    }
                    if source == 0, let now = moment, String(decoding: bytes, as: UTF8.self).contains("COMMIT\0") {
                        sawCommit.resolve(())
                        moment = nil
                        guard now != .never else {
                            isHolding = true
                            continue
                        }
                        guard pass(bytes, to: server, from: client, now) else { return }
                    } else if !isHolding {
                        try? FileSystem.writeAll(bytes, to: sockets[target].fd)
                    }
                }
            }
        }

        /// - Returns: whether the connection stays.
        private func pass(_ commit: [UInt8], to server: Int32, from client: Int32, _ moment: Break) -> Bool {
            switch moment {
            case .beforeServer, .never: return false
            case .within:
                // The message ends with the command.
                try? FileSystem.writeAll(Array(commit.dropLast(4)), to: server)
                return false
            case .late:
                // Nobody accepts the next connection, which would wait for that.
                unlink(directory + "/.s.PGSQL.5432")
                shutdown(client, Int32(SHUT_RDWR))
            case .afterServer, .pause: break
            }
            if moment == .late || moment == .pause { released.wait() }
            try? FileSystem.writeAll(commit, to: server)
            guard moment != .pause else { return true }
            _ = try? FileSystem.readSome(65_536, from: server)
            return false
        }
    }
}
