// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import Testing

/// Proxies that do not do their work. Nothing of the request reaches an origin, and each fault is told in its own words.
@Suite struct ProxyFaultTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: String
        var closes = true
        /// Whether TLS has to begin before it shows.
        var isOfTunnel = false
        let reason: Failure.Reason
        /// Behind the proxy's address.
        let detail: String

        init(
            _ name: String, _ answer: String, _ reason: Failure.Reason, _ detail: String, closes: Bool = true,
            isOfTunnel: Bool = false
        ) {
            (testDescription, self.answer, self.reason, self.detail) = (name, answer, reason, detail)
            (self.closes, self.isOfTunnel) = (closes, isOfTunnel)
        }
    }

    private static let (refused, closed, silent, foreign) = (
        ": it did not connect to the origin", ": it, or the origin behind it, closed the connection",
        ": it closed the connection without an answer", ": its answer is not HTTP/1"
    )
    private static let established = "HTTP/1.1 200 OK\r\n\r\n"

    static let cases = [
        Case("407", "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n", .proxyAuthentication, " answered 407"),
        Case("407 that stays", "HTTP/1.1 407 No\r\n\r\n", .proxyAuthentication, " answered 407", closes: false),
        Case(
            "407 and a second head", "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n\(established)", .proxyAuthentication,
            " answered 407"),
        Case("403", "HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nabc", .proxyFault, refused),
        Case("502", "HTTP/1.0 502 Bad\r\n\r\n<html>", .proxyFault, refused, closes: false),
        Case("status 042", "HTTP/1.1 042 Odd\r\nContent-Length: 2\r\n\r\n{}", .proxyFault, refused),
        Case(
            "status 101", "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nx", .proxyFault, refused),
        Case(
            "interim answers", String(repeating: "HTTP/1.1 100 Go\r\n\r\n", count: 50) + "HTTP/1.1 500 No\r\n\r\n",
            .proxyFault, refused),
        Case("no answer", "", .proxyFault, silent),
        Case("half a head", "HTTP/1.1 200 O", .proxyFault, closed),
        Case("garbage", "SSH-2.0-OpenSSH_9.2\r\n", .proxyFault, foreign),
        Case("one byte", "\u{15}", .proxyFault, foreign),
        Case("HTTP/2", "HTTP/2.0 200 OK\r\n\r\n", .proxyFault, foreign),
        Case("a tunnel cut", established, .proxyFault, closed, isOfTunnel: true),
        Case("two heads", "\(established)\(established)", .proxyFault, closed, isOfTunnel: true),
        Case(
            "a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", .proxyFault, closed, isOfTunnel: true),
        Case(
            "chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", .proxyFault,
            closed,
            isOfTunnel: true),
        Case(
            "an upgrade", "HTTP/1.1 204 No\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nhello", .proxyFault, closed,
            isOfTunnel: true),
    ]

    @Test(arguments: cases) func `a fault of a proxy has its reason, and nothing was sent`(
        _ example: Case
    ) async throws {
        let proxy = try await AbruptOrigin.start(example.answer, closes: example.closes)
        for url in example.isOfTunnel ? ["https://a.example/"] : ["https://a.example/", "http://a.example:81/"] {
            let failure = try #require(await failure(url, through: proxy.url))
            #expect(failure.reason == example.reason, "\(url)")
            #expect(failure.phase == .notSent, "\(url)")
            #expect(failure.detail == "127.0.0.1:\(proxy.url.port)\(example.detail)", "\(url)")
        }
        await proxy.stop()
    }

    /// Enough time to reach a proxy on a busy machine too.
    private static let timeToConnect = Duration.seconds(3)

    @Test
    func `a silent or useless proxy is given up after the time to connect, with its own reason`() async throws {
        let cases: [(String, Failure.Reason, String)] = [
            ("", .timeout(.connect), "the proxy PROXY does not answer"),
            ("SSH-2.0-OpenSSH_9.2\r\n", .proxyFault, "PROXY: its answer is not HTTP/1"),
            ("HTTP/1.1 200 O", .timeout(.connect), "through the proxy PROXY"),
            ("HTTP/1.1 103 Early\r\n\r\n", .timeout(.connect), "through the proxy PROXY"),
        ]
        // All at once, as each of them takes that time.
        try await withThrowingTaskGroup { group in
            for (answer, reason, detail) in cases {
                for url in ["https://a.example/", "http://a.example:81/"] {
                    group.addTask {
                        let proxy = try await AbruptOrigin.start(answer, closes: false)
                        let failure = try #require(
                            await failure(url, through: proxy.url, connectTimeout: Self.timeToConnect))
                        #expect(failure.reason == reason, "\(answer), \(url)")
                        #expect(failure.phase == .notSent, "\(answer), \(url)")
                        let told = detail.replacing("PROXY", with: "127.0.0.1:\(proxy.url.port)")
                        #expect(failure.detail == told, "\(answer), \(url)")
                        await proxy.stop()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `TLS that never begins behind the proxy is given up as well`() async throws {
        let proxy = try await AbruptOrigin.start(Self.established, closes: false)
        let failure = try #require(
            await failure("https://a.example/", through: proxy.url, connectTimeout: Self.timeToConnect))
        #expect([.timeout(.connect), .timeout(.tlsHandshake)].contains(failure.reason))
        #expect(failure.phase == .notSent)
        #expect(failure.detail == "through the proxy 127.0.0.1:\(proxy.url.port)")
        await proxy.stop()
    }

    @Test func `a proxy that refuses is not taken for the origin, nor for a missing network`() async throws {
        let proxy = try await AbruptOrigin.start("")
        await proxy.stop()
        let failure = try #require(await failure("https://a.example/", through: proxy.url))
        #expect(failure.detail == "no connection to the proxy 127.0.0.1:\(proxy.url.port)")
        for route in [true, false] {
            let classified = TechnicalErrors.classify(failure) { route }
            #expect(classified.reason == .proxyUnreachable)
            #expect(classified.phase == .notSent)
        }
    }

    @Test func `a proxy with an unknown name is unreachable, or there is no network`() async throws {
        // No label is longer than 63 bytes (RFC 1035 §2.3.4): the resolver says no without asking anyone.
        let proxy = try HTTPURL("http://\(String(repeating: "a", count: 64)).invalid:3128")
        let failure = try #require(await failure("https://a.example/", through: proxy))
        #expect(TechnicalErrors.classify(failure) { true }.reason == .proxyUnreachable)
        #expect(TechnicalErrors.classify(failure) { false }.reason == .noInternetConnection)
    }

    private func failure(
        _ url: String, through proxy: HTTPURL, connectTimeout: Duration = .seconds(20)
    ) async throws -> Failure? {
        let settings = TransportSettings()
            .with(\.connectTimeout, connectTimeout)
            .with(\.allowsPlainHTTP, true)
            .with(\.proxies, ProxyRules(try Proxy(proxy.authority)))
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        let failure = await transport.failure(
            try HTTPURL(url), .post, headerFields: [.authorization: "Bearer canary"], body: .bytes([1]))
        #expect(failure.map { !"\($0)".contains("canary") } ?? false)
        await transport.shutdown()
        return failure
    }
}
