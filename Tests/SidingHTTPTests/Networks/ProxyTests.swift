// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// Requests through a proxy that does its work.
@Suite struct ProxyTests {
    /// Runs `body` with a proxy and with a transport whose requests go through it, and ends both.
    private func through(
        wanting authorization: String? = nil, credentials: Proxy.Credentials? = nil, except exceptions: [String] = [],
        tls: TLSSettings = TLSSettings(), _ body: (ConnectProxy, HTTPTransport) async throws -> Void
    ) async throws {
        let proxy = try await ConnectProxy.start(wanting: authorization)
        let settings = TransportSettings()
            .with(\.redirectOrigins, nil)
            .with(\.allowsPlainHTTP, true)
            .with(\.proxies, try proxy.rules(credentials, except: exceptions))
            .with(\.tls, tls)
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: settings))
        do { try await body(proxy, transport) } catch { Issue.record(error) }
        await transport.shutdown()
        await proxy.stop()
    }

    /// A secure origin named other.example, and settings that trust it.
    private func secureOrigin() async throws -> (origin: TLSOrigin, url: HTTPURL, tls: TLSSettings, TemporaryDirectory)
    {
        let (origin, directory) = (try await TLSOrigin.start(.otherName), try TemporaryDirectory())
        let file = try directory.write(TLSOrigin.otherCertificate, to: "ca.pem")
        let url = try HTTPURL("https://other.example:\(origin.url.port)/")
        return (origin, url, TLSSettings(authorities: file, trustsOnlyAuthorities: true), directory)
    }

    @Test func `a secure origin is reached by its name, and the proxy sees nothing of the request`() async throws {
        let (origin, url, tls, directory) = try await secureOrigin()
        try await through(tls: tls) { (proxy, transport) async throws in
            for _ in 1...2 {
                let answer = try await transport.ask(url, headerFields: [.authorization: "Bearer canary"])
                #expect(answer.bytes == Array("ok".utf8))
            }
            #expect(proxy.heads.count == 1, "one tunnel serves both")
            #expect(proxy.heads[0].hasPrefix("CONNECT other.example:\(url.port) HTTP/1.1\r\n"))
            #expect(!proxy.heads[0].contains("canary") && !proxy.heads[0].contains("authorization"))
        }
        await origin.stop()
        _ = directory
    }

    @Test func `plain http uses a tunnel too`() async throws {
        let origin = try await Origin.start { _ in .json("{}") }
        let url = try HTTPURL("http://origin.example:\(origin.url.port)/a?b=1")
        try await through { (proxy, transport) async throws in
            #expect(try await transport.ask(url).bytes == Array("{}".utf8))
            #expect(proxy.heads.map { $0.prefix { $0 != "\r\n" } } == ["CONNECT \(url.authority) HTTP/1.1"])
        }
        #expect(origin.requests.map(\.target) == ["/a?b=1"])
        #expect(origin.requests.map { $0.headerFields[HTTPField.Name("Host")!] } == [url.authority])
        await origin.stop()
    }

    @Test func `the proxy's credentials are read for each request, and no origin sees them`() async throws {
        let origin = try await Origin.start { _ in .json("{}") }
        let url = try HTTPURL("http://origin.example:\(origin.url.port)/")
        let password = Mutex("canary")
        let credentials = Proxy.Credentials(
            user: "ada", password: TransportSecret("file p") { () async throws(Failure) in password.withLock { $0 } })
        // ada:geheim
        try await through(wanting: "basic ywrhomdlagvpbq==", credentials: credentials) {
            (proxy, transport) async throws in
            let failure = try #require(await transport.failure(url))
            #expect(failure.reason == .proxyAuthentication)
            #expect(failure.phase == .notSent)
            #expect(failure.detail == "127.0.0.1:\(proxy.port) answered 407")
            #expect(!"\(failure)".contains("canary"))
            #expect(origin.requests.count == 0)
            password.withLock { $0 = "geheim" }
            try await transport.ask(url)
            #expect(proxy.heads.count == 2)
        }
        #expect(origin.requests.count == 1)
        #expect(origin.requests[0].headerFields.allSatisfy { !$0.name.canonicalName.hasPrefix("proxy") })
        await origin.stop()
    }

    @Test func `an unreadable secret of the proxy is reported, and nothing is sent`() async throws {
        let credentials = Proxy.Credentials(
            user: "ada",
            password: TransportSecret("env P") { () async throws(Failure) in
                throw Failure(.credentialUnavailable, phase: .notSent, detail: "secret env P: it is not set")
            })
        try await through(credentials: credentials) { (proxy, transport) async throws in
            let failure = try #require(await transport.failure(try HTTPURL("https://origin.example/")))
            #expect(failure.reason == .credentialUnavailable)
            #expect(failure.phase == .notSent)
            #expect(proxy.heads == [])
        }
    }

    @Test func `exceptions and this machine are reached without it`() async throws {
        let origin = try await Origin.start { _ in .json("{}") }
        let port = origin.url.port
        try await through(except: ["0.0.0.0"]) { (proxy, transport) async throws in
            for host in ["0.0.0.0", "127.0.0.1", "localhost"] {
                try await transport.ask(try HTTPURL("http://\(host):\(port)/"))
            }
            #expect(proxy.heads == [])
            try await transport.ask(try HTTPURL("http://0.0.0.0.example:\(port)/"))
            #expect(proxy.heads.count == 1)
        }
        await origin.stop()
    }

    @Test func `a redirect from this machine leads through it, without the credentials of the origin`() async throws {
        let (secure, url, tls, directory) = try await secureOrigin()
        let origin = try await Origin.start { _ in .json("{}") }
        origin.inject(.redirect(302, to: url.description))
        try await through(tls: tls) { (proxy, transport) async throws in
            let answer = try await transport.ask(origin.url, headerFields: [.authorization: "Bearer canary"])
            #expect(answer.reply.url == url)
            #expect(proxy.heads.count == 1)
            #expect(!proxy.heads[0].contains("canary"))
        }
        await origin.stop()
        await secure.stop()
        _ = directory
    }

    /// TLS would compare the certificate with the address at the other end of the connection, which is the proxy's: anybody with a
    /// certificate for that address could pass for every origin.
    @Test func `a secure origin that is an address is not reached through a proxy`() async throws {
        let (origin, directory) = (try await TLSOrigin.start(.selfSigned), try TemporaryDirectory())
        // For 127.0.0.1, where the proxy is.
        let file = try directory.write(TLSOrigin.certificate, to: "ca.pem")
        let tls = TLSSettings(authorities: file, trustsOnlyAuthorities: true)
        try await through(tls: tls) { (proxy, transport) async throws in
            for host in ["192.0.2.7", "[2001:db8::7]"] {
                let failure = try #require(await transport.failure(try HTTPURL("https://\(host):\(origin.url.port)/")))
                #expect(failure.reason == .tlsUntrusted)
                #expect(failure.phase == .notSent)
                #expect(failure.detail?.contains("give the origin by name") == true)
            }
            #expect(proxy.heads == [])
        }
        await origin.stop()
    }

    @Test func `a certificate for another name is reported with the proxy between`() async throws {
        let (origin, url, tls, directory) = try await secureOrigin()
        try await through(tls: tls) { (proxy, transport) async throws in
            let failure = try #require(await transport.failure(try HTTPURL("https://wrong.example:\(url.port)/")))
            #expect(failure.reason == .tlsUntrusted)
            #expect(failure.phase == .notSent)
            #expect(
                failure.detail
                    == "the certificate is for another name; the proxy 127.0.0.1:\(proxy.port) is between; if it inspects TLS, "
                    + "'tls: { ca_file }' names its authority")
        }
        await origin.stop()
        _ = directory
    }
}
