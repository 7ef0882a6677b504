// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSynchronization

/// Takes one connection on a bare socket, keeps the very bytes that came, and answers `200` with `{}`.
///
/// No HTTP library stands between the wire and the test: what ``received()`` gives is what was sent.
final class RawOrigin: Sendable {
    struct Unavailable: Error {}

    let url: HTTPURL
    private let listener: Int32
    private let answer: AsyncStream<[UInt8]>

    init(answering body: String = "{}") throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 4) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Unavailable() }
        self.listener = listener
        url = try HTTPURL("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
        let (answer, arrived) = AsyncStream.makeStream(of: [UInt8].self)
        self.answer = answer
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(listener: listener, reply: reply) { arrived.yield($0) })
        pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().serve() }
                return nil
            }, work.toOpaque())
        pthread_detach(thread)
    }

    deinit { close(listener) }

    /// The bytes of the request, once it is complete.
    func received() async -> [UInt8] {
        for await bytes in answer { return bytes }
        return []
    }

    private final class Work: Sendable {
        let listener: Int32
        let reply: String
        let done: @Sendable ([UInt8]) -> Void

        init(listener: Int32, reply: String, done: @escaping @Sendable ([UInt8]) -> Void) {
            (self.listener, self.reply, self.done) = (listener, reply, done)
        }

        func serve() {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return done([]) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while !RawRequest(bytes).isComplete {
                let count = read(connection, &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
            }
            _ = reply.withCString { write(connection, $0, strlen($0)) }
            close(connection)
            done(bytes)
        }
    }
}

/// A request as it stood on the wire, cut into its parts.
struct RawRequest {
    let line: String
    /// Names as they came, in their order.
    let fields: [(name: String, value: String)]
    let body: [UInt8]
    private let hasHead: Bool

    init(_ bytes: [UInt8]) {
        let end = Self.range(of: Array("\r\n\r\n".utf8), in: bytes)
        hasHead = end != nil
        let head = String(decoding: bytes[..<(end?.lowerBound ?? bytes.count)], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        line = lines.first.map(String.init) ?? ""
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
        }
        body = end.map { Array(bytes[$0.upperBound...]) } ?? []
    }

    /// The value of a field, its name in any case.
    subscript(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    var isComplete: Bool {
        guard hasHead else { return false }
        if self["Transfer-Encoding"] == "chunked" { return text.hasSuffix("0\r\n\r\n") }
        return body.count >= self["Content-Length"].flatMap { Int($0) } ?? 0
    }

    private static func range(of mark: [UInt8], in bytes: [UInt8]) -> Range<Int>? {
        guard bytes.count >= mark.count else { return nil }
        for start in 0...(bytes.count - mark.count) where bytes[start..<(start + mark.count)].elementsEqual(mark) {
            return start..<(start + mark.count)
        }
        return nil
    }
}
