// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization

/// A client on a bare socket: no library of ours stands between the test and the bytes of the server.
actor ServerConnection {
    struct Failed: Error {
        let what: String
    }

    nonisolated private let worker = SerialWorker(label: "siding.test.connection")
    nonisolated var unownedExecutor: UnownedSerialExecutor { worker.asUnownedSerialExecutor() }
    private let descriptor: CInt
    private var received: [UInt8] = []

    /// How long the server may be silent.
    private static let patience = 20

    /// - Parameter buffer: how many bytes the system keeps for a client that does not read.
    init(port: Int, buffer: CInt? = nil) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        descriptor = try Self.connected(AF_INET, &address, buffer)
    }

    init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = try Self.connected(AF_UNIX, &address)
    }

    deinit { close(descriptor) }

    private static func connected<Address>(
        _ family: CInt, _ address: inout Address, _ buffer: CInt? = nil
    ) throws -> CInt {
        let descriptor = socket(family, CInt(SOCK_STREAM.rawValue), 0)
        var time = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        if var buffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<CInt>.size)) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
        guard isConnected else {
            let code = errno
            close(descriptor)
            throw Failed(what: "connect: \(code)")
        }
        return descriptor
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                Self.whole {
                    SidingSynchronization.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
                }
            }
            guard count > 0 else { throw Failed(what: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// The next answer, as its length or its chunks tell where it ends.
    func answer(toHead: Bool = false) throws -> ServerAnswer {
        let head = try text(through: "\r\n\r\n")
        var answer = ServerAnswer(head)
        if toHead || answer.status == 304 { return answer }
        if answer["Transfer-Encoding"] == "chunked" {
            while let size = Int(try text(through: "\r\n").dropLast(2), radix: 16) {
                answer.body += try bytes(size)
                _ = try bytes(2)
                if size == 0 { break }
            }
        } else {
            answer.body = try bytes(answer["Content-Length"].flatMap { Int($0) } ?? 0)
        }
        return answer
    }

    /// The head of the next answer, of one that has no end.
    func head() throws -> ServerAnswer { ServerAnswer(try text(through: "\r\n\r\n")) }

    /// What arrives up to and with `mark`.
    func text(through mark: String) throws -> String {
        let mark = Array(mark.utf8)
        while true {
            if let end = received.firstRange(of: mark)?.upperBound {
                defer { received.removeFirst(end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard try receive() else {
                throw Failed(what: "the server closed after '\(String(decoding: received, as: UTF8.self))'")
            }
        }
    }

    /// What arrives until the server closes.
    func rest() throws -> String {
        while try receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// Whether nothing has arrived yet.
    func isSilent() -> Bool {
        var byte: UInt8 = 0
        return received.isEmpty && recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT | MSG_PEEK)) < 0
    }

    /// Whether the server has not closed yet.
    func isOpen() -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT | MSG_PEEK))
        return count > 0 || (count < 0 && [EAGAIN, EWOULDBLOCK].contains(errno))
    }

    /// Waits for the server for a moment.
    func pause() {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, 5)
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            guard try receive() else { throw Failed(what: "the answer is cut") }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// - Returns: false once the server has closed.
    private func receive() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = Self.whole { recv(descriptor, &chunk, chunk.count, 0) }
        if count < 0, errno != ECONNRESET { throw Failed(what: "recv: \(errno)") }
        received += chunk.prefix(max(count, 0))
        return count > 0
    }

    /// The result of `call`. A process that is stopped and continued breaks off what waits with a time limit (signal(7)).
    private static func whole(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// An answer as it came.
struct ServerAnswer {
    let status: Int
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    init(_ head: String) {
        let lines = head.split(separator: "\r\n")
        status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        fields = lines.dropFirst().map { line in
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (halves[0].lowercased(), halves.count > 1 ? String(halves[1].drop { $0 == " " }) : "")
        }
    }

    subscript(_ name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }
}
