// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// How many more files and connections this process may open.
enum OpenFiles {
    /// NIO's event loop on Linux opens an epoll instance, an event descriptor and a timer descriptor.
    static let neededByEventLoop = 3

    /// Whether `count` more descriptors are available, found out by opening and closing them.
    static func canOpen(_ count: Int) -> Bool {
        var opened: [Int32] = []
        defer { opened.forEach { _ = close($0) } }
        while opened.count < count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            opened.append(descriptor)
        }
        return true
    }
}
