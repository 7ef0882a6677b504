// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingTesting
import Testing

/// Services behind a Unix socket: `http+unix://%2Frun%2Fservice.sock/path`.
@Suite struct UnixSocketTests {
    /// A directory in which a socket has an address that is short enough (unix(7)).
    private static func directory() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try #require(directory.path.utf8.count <= 90, "TMPDIR is too long for the addresses of sockets")
        return directory
    }

    private func behindSocket(
        _ settings: TransportSettings = TransportSettings(), name: String = "a b+%.sock",
        _ body: (Origin, HTTPTransport) async throws -> Void
    ) async throws {
        let directory = try Self.directory()
        let socket = try ListeningSocket(path: directory.path(of: name))
        let origin = try await Origin.start(on: socket) { _ in .json("{}") }
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        do { try await body(origin, transport) } catch { Issue.record(error) }
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a service behind a socket is requested like any other, with any proxies`() async throws {
        let settings = TransportSettings().with(\.proxies, ProxyRules(try Proxy("127.0.0.1:9")))
        try await behindSocket(settings) { (origin, transport) async throws in
            let url = try HTTPURL("\(origin.url.origin)/v1.41/a%2Fb?x=1")
            #expect(url.isLoopback)
            let answer = try await transport.ask(url, .post, body: .bytes([1, 2]))
            #expect(answer.bytes == Array("{}".utf8))
            #expect(answer.reply.url == url)
            let request = try #require(origin.requests.first)
            #expect(request.target == "/v1.41/a%2Fb?x=1")
            #expect(request.body == [1, 2])
            #expect(request.headerFields[HTTPField.Name("Host")!] == "localhost")
        }
    }

    @Test func `a redirect stays behind the socket, or is refused`() async throws {
        try await behindSocket(TransportSettings().with(\.redirectOrigins, nil)) { (origin, transport) async throws in
            origin.inject(.redirect(307, to: "/there?x=1"))
            #expect(try await transport.ask(origin.url).reply.url.description == "\(origin.url.origin)/there?x=1")
            origin.inject(.redirect(302, to: "http://127.0.0.1:9/"))
            #expect(await transport.failure(origin.url)?.reason == .redirectRefused)
        }
    }

    @Test func `no redirect leads to a socket of this machine`() async throws {
        try await behindSocket { (service, _) async throws in
            let listed = TransportSettings().with(\.redirectOrigins, [service.url.origin])
            for settings in [TransportSettings().with(\.redirectOrigins, nil), listed] {
                try await asking(settings) { (origin, transport) async throws in
                    origin.inject(.redirect(302, to: "\(service.url.origin)/secrets"))
                    let failure = try #require(await transport.failure(origin.url))
                    #expect(failure.reason == .redirectRefused)
                    #expect(failure.detail == "it leads to a socket of this machine")
                }
            }
            #expect(service.requests.count == 0)
        }
    }

    @Test func `a missing or unserved socket is a refused connection`() async throws {
        let directory = try Self.directory()
        let transport = HTTPTransport()
        try directory.write("", to: "file")
        for name in ["none", "file"] {
            let path = directory.path(of: name).replacing("/", with: "%2F")
            let failure = try #require(await transport.failure(try HTTPURL("http+unix://\(path)/")))
            let classified = TechnicalErrors.classify(failure) { false }
            #expect(classified.reason == .cantConnectToHost(.refused), "\(name)")
            #expect(classified.phase == .notSent, "\(name)")
        }
        await transport.shutdown()
    }

    @Test(arguments: [
        "http+unix:///v1", "http+unix://run%2Fa.sock/", "http+unix://%2F/", "http+unix://%2Frun%2Fa.sock:80/",
        "http+unix://u@%2Frun%2Fa.sock/", "http+unix://%2Frun%2Fa%00.sock/", "https+unix://%2Frun%2Fa.sock/",
        // Longer than a socket's address, with which the library below would fail in an unknown way.
        "http+unix://%2F\(String(repeating: "a", count: 103))/",
    ])
    func `a URL without a socket path is refused`(_ text: String) {
        #expect(throws: Failure.self) { try HTTPURL(text) }
    }

    @Test func `the longest path of a socket is requested`() async throws {
        let transport = HTTPTransport()
        let url = try HTTPURL("http+unix://%2F\(String(repeating: "a", count: 102))/")
        let failure = try #require(await transport.failure(url))
        #expect(failure.reason == .system(.connect(errno: 2)))
        #expect(failure.phase == .notSent)
        await transport.shutdown()
    }
}
