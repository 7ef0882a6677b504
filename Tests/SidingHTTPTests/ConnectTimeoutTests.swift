// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingHTTP
import SidingSynchronization
import Testing

@Suite struct ConnectTimeoutTests {
    @Test func `a host that drops what it is sent ends with the connect timeout, not sent`() async throws {
        let full = try FullListener()
        let settings = TransportSettings().with(\.connectTimeout, .milliseconds(400))
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        let start = ContinuousClock.now
        let failure = try #require(await transport.failure(try HTTPURL("http://127.0.0.1:\(full.port)/")))
        #expect(failure.reason == .timeout(.connect))
        #expect(failure.phase == .notSent)
        #expect((.milliseconds(300)..<Duration.seconds(30)).contains(ContinuousClock.now - start))
        await transport.shutdown()
        full.close()
    }
}

/// A listener that accepts nobody and whose queue is full: the kernel drops every further SYN.
private struct FullListener {
    struct Unavailable: Error {}

    let port: UInt16
    private let descriptors: [Int32]

    init() throws {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port: 0)
        let isBound = Self.with(&address) { bind(listener, $0, $1) } == 0
        guard listener >= 0, isBound, listen(listener, 0) == 0 else { throw Unavailable() }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        port = UInt16(bigEndian: address.sin_port)
        let fillers = (0..<4).map { _ in
            let filler = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            _ = Self.with(&address) { connect(filler, $0, $1) }
            return filler
        }
        descriptors = [listener] + fillers
    }

    func close() {
        for descriptor in descriptors { _ = Glibc.close(descriptor) }
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func with(_ address: inout sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32)
        -> Int32
    {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
