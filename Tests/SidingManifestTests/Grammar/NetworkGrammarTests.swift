// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingManifest
import Testing

/// How a source is reached: the network keys of `http:`, `tls:`, the environment, and Unix sockets.
@Suite struct NetworkGrammarTests {
    private static func text(_ source: String, url: String = "https://a.example") -> String {
        """
        version: 1
        sources:
          a:
            base_url: "\(url)"
            \(source)
        resources: { b: { path: /b, key: id } }
        """
    }

    private static func source(
        _ part: String = "", url: String = "https://a.example", _ variables: [String: String] = [:]
    ) throws -> Source {
        let environment = ConfigEnvironment(variables: variables, workingDirectory: "/srv/app", home: "/home/ada")
        let config = try Config.parse(text(part, url: url), file: "siding.yaml", environment: environment)
        return try #require(config.sources.first)
    }

    @Test func `the network of the file reaches the transport`() async throws {
        let transport = try #require(try Fixture.parse(FullConfig.text).sources.last).transport
        #expect(transport.interface == "wwan0")
        #expect(transport.minimumRate == 100)
        #expect(transport.compression == .never)
        #expect(transport.userAgent == "kiosk/7 (ada@example.com)")
        for proxy in [transport.proxies.https, transport.proxies.http] {
            #expect(proxy?.description == "proxy.example:3128")
            #expect(proxy?.credentials?.user == "ada")
            #expect(try await proxy?.credentials?.password.read() == "canary-token-value")
        }
        #expect(transport.tls.authorities == "/srv/app/company.pem")
        #expect(transport.tls.trustsOnlyAuthorities)
        #expect(transport.tls.certificate == "/home/ada/kiosk.pem")
        #expect(transport.tls.key == "/etc/kiosk.key")
        #expect(try await transport.tls.keyPassword?.read() == "canary-token-value")
        #expect(transport.tls.minimumVersion == .v1_3)
        #expect(!"\(transport)".contains("canary"))
    }

    @Test(
        arguments: [("auto", .automatic), ("always", .always), ("never", .never)]
            as [(String, TransportSettings.Compression)])
    func `compression has three values`(_ word: String, _ compression: TransportSettings.Compression) throws {
        #expect(try Self.source("http: { compression: \(word) }").transport.compression == compression)
    }

    // MARK: Proxies

    @Test(
        arguments: [
            ("http: { proxy: none }", nil), ("http: { proxy: \"http://p.example:3128\" }", "p.example:3128"),
            ("http: { proxy: p.example }", "p.example:80"), ("http: { proxy: { url: p.example } }", "p.example:80"),
            ("", "env.example:1"), ("http: { redirects: 1 }", "env.example:1"),
        ] as [(String, String?)])
    func `the config's proxy wins over the environment's`(_ part: String, _ proxy: String?) throws {
        let source = try Self.source(part, ["HTTPS_PROXY": "env.example:1", "no_proxy": "other.example"])
        #expect(try source.transport.proxies.proxy(for: HTTPURL("https://a.example/"))?.description == proxy)
        #expect(
            try source.transport.proxies.proxy(for: HTTPURL("https://other.example/"))?.description
                == (part.contains("p.example") ? proxy : nil))
    }

    @Test func `a proxy of the environment that cannot be read is a fault, where it would be used`() throws {
        let broken = ["HTTPS_PROXY": "socks5://canary@p"]
        let error = #expect(throws: ConfigError.self) { try Self.source("", broken) }
        let fault = try #require(error?.description)
        #expect(fault.contains("siding.yaml:4:15: the environment variable HTTPS_PROXY: "), "\(fault)")
        #expect(fault.contains("or http: { proxy: none } here"))
        #expect(!fault.contains("canary"))
        #expect(try Self.source("http: { proxy: none }", broken).transport.proxies == ProxyRules())
        for url in ["http://localhost:8080", "http+unix://%2Frun%2Fa.sock"] {
            #expect(try Self.source("", url: url, broken).transport.proxies == ProxyRules())
        }
    }

    @Test func `credentials of a source pass no proxy unencrypted`() throws {
        let part = "http: { allow_plain_http: true, proxy: p.example }"
        let signedIn = try Self.source(
            "\(part)\n    auth: { type: bearer, token: { env: T } }", url: "http://a.example")
        #expect(signedIn.connection.proxies.http == nil)
        #expect(signedIn.connection.proxies.https != nil)
        #expect(try Self.source(part, url: "http://a.example").connection.proxies.http != nil)
    }

    // MARK: Trust and sockets

    @Test(
        arguments: [
            ([:], nil), (["SSL_CERT_FILE": "/a.pem"], "/a.pem"), (["SSL_CERT_DIR": "/certs"], "/certs"),
            (["SSL_CERT_FILE": "/a.pem", "SSL_CERT_DIR": "/certs"], "/a.pem"),
            (["SSL_CERT_FILE": "", "SSL_CERT_DIR": "/certs"], "/certs"),
        ] as [([String: String], String?)])
    func `the environment names the system's authorities`(_ variables: [String: String], _ place: String?) throws {
        #expect(try Self.source("", variables).transport.tls == TLSSettings(systemAuthorities: place))
    }

    @Test func `a service behind a Unix socket needs no permission for plain http`() throws {
        let source = try Self.source(url: "http+unix://%2Frun%2Fdocker.sock/v1.41")
        #expect(source.baseURL.host == "/run/docker.sock")
        #expect(
            try source.baseURL.appending(path: "/info").description == "http+unix://%2Frun%2Fdocker.sock/v1.41/info")
    }

    @Test(arguments: [
        ("http: { proxy: { url: p.example, user: ada } }", "has only one of 'user' and 'password'"),
        ("http: { proxy: { user: ada, password: { env: P } } }", "has no 'url'"),
        ("http: { proxy: { url: p.example, user: ada, password: canary } }", "is a literal"),
        ("http: { proxy: \"http://canary:canary@p.example\" }", "carries user information"),
        ("http: { proxy: { url: \"http://canary@p.example\" } }", "carries user information"),
        ("http: { proxy: \"https://p.example\" }", "its scheme is not http"),
        ("http: { proxy: \"socks5://p.example\" }", "its scheme is not http"),
        ("http: { proxy: \"http://p.example/path\" }", "it is not a host and a port"),
        ("http: { proxy: [p.example] }", "expected none, a URL such as http://proxy.example.com:3128"),
        ("http: { compression: gzip }", "expected auto, always or never"),
        ("http: { min_rate: 0 }", "expected a size such as"), ("http: { user_agent: \"\" }", "is empty text"),
        ("http: { user_agent: \"a\\nb\" }", "a line break or another control character"),
        ("http: { interface: \"\" }", "is empty text"),
        ("tls: { only: true }", "has 'only' without a 'ca_file'"),
        ("tls: { key: k.pem }", "has a key without a 'certificate'"),
        ("tls: { key_password: { env: P } }", "has a key without a 'certificate'"),
        ("tls: { certificate: c.pem, key_password: canary }", "is a literal"),
        ("tls: { min_version: 1.1 }", "expected 1.2 or 1.3"), ("tls: { verify: false }", "'verify'"),
    ])
    func `an invalid value is a fault in its place, and no secret is shown`(_ part: String, _ words: String) {
        let faults = Fixture.faults(Self.text(part))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:5:") && $0.contains(words) }, "\(faults)")
        #expect(!faults.joined().contains("canary"))
    }

    @Test func `no interface leads to a socket of this machine`() {
        let faults = Fixture.faults(Self.text("http: { interface: lo }", url: "http+unix://%2Frun%2Fa.sock"))
        #expect(faults.count == 1)
        #expect(faults.first?.contains("is a socket of this machine, which no 'interface' leads to") == true)
    }
}
