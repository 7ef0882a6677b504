// SPDX-License-Identifier: Apache-2.0
package import SidingSynchronization

/// Unix sockets of tests.
package enum UnixSocket {
    /// A socket that listens where libpq looks for a server of this directory.
    package static func listen(in directory: String) throws(SystemError) -> Int32 {
        let descriptor = try make()
        guard withAddress(directory, { bind(descriptor, $0, $1) }) == 0,
            SidingSynchronization.listen(descriptor, 8) == 0
        else { throw SystemError() }
        return descriptor
    }

    package static func connect(in directory: String) throws(SystemError) -> Int32 {
        let descriptor = try make()
        guard withAddress(directory, { SidingSynchronization.connect(descriptor, $0, $1) }) == 0 else {
            throw SystemError()
        }
        return descriptor
    }

    private static func make() throws(SystemError) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError() }
        return descriptor
    }

    private static func withAddress(
        _ directory: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: (directory + "/.s.PGSQL.5432").utf8.prefix(path.count - 1))
        }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
