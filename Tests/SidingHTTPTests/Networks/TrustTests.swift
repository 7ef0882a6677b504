// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import NIOSSL
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingTesting
import Testing

/// What TLS trusts, and files that cannot be used.
@Suite(.timeLimit(.minutes(5))) struct TrustTests {
    private func transport(_ tls: TLSSettings) -> HTTPTransport {
        HTTPTransport(HTTPTransportConfiguration(settings: TransportSettings().with(\.tls, tls)))
    }

    @Test(arguments: [true, false])
    func `an authority of one's own is trusted instead of the system's, or beside it`(_ only: Bool) async throws {
        let (own, other) = (
            try await TLSOrigin.start(.selfSigned), try await TLSOrigin.start(.presenting(Certificates.second))
        )
        let directory = try TemporaryDirectory()
        let transport = transport(
            TLSSettings(
                authorities: try directory.write(TLSOrigin.certificate, to: "own.pem"), trustsOnlyAuthorities: only,
                systemAuthorities: try directory.write(Certificates.second.certificate, to: "system.pem")))
        #expect(try await transport.ask(own.url).bytes == Array("ok".utf8))
        if only {
            let failure = try #require(await transport.failure(other.url))
            #expect(failure.reason == .tlsUntrusted)
            #expect(failure.phase == .notSent)
            #expect(failure.detail == "no trusted authority has signed it, or it is not valid at this time")
        } else {
            #expect(try await transport.ask(other.url).bytes == Array("ok".utf8))
        }
        await transport.shutdown()
        await own.stop()
        await other.stop()
    }

    @Test func `an expired certificate is not trusted, with any signature`() async throws {
        let (origin, directory) = (
            try await TLSOrigin.start(.presenting(Certificates.expired)), try TemporaryDirectory()
        )
        let transport = transport(
            TLSSettings(
                authorities: try directory.write(Certificates.expired.certificate, to: "ca.pem"),
                trustsOnlyAuthorities: true))
        let failure = try #require(await transport.failure(origin.url))
        #expect(failure.reason == .tlsUntrusted)
        #expect(failure.phase == .notSent)
        #expect("\(failure)".contains("it is not valid at this time"))
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `an origin that speaks only older versions than allowed gets no byte of the request`() async throws {
        let (origin, directory) = (
            try await TLSOrigin.start(.selfSigned, newest: .tlsv12), try TemporaryDirectory()
        )
        let file = try directory.write(TLSOrigin.certificate, to: "ca.pem")
        for version in TLSSettings.Version.allCases {
            let transport = transport(
                TLSSettings(authorities: file, trustsOnlyAuthorities: true, minimumVersion: version))
            if version == .v1_2 {
                try await transport.ask(origin.url)
            } else {
                let failure = try #require(await transport.failure(origin.url))
                #expect(failure.reason == .tlsHandshake)
                #expect(failure.phase == .notSent)
                #expect(failure.detail == "the origin speaks no version of TLS that 'tls: { min_version }' allows")
            }
            await transport.shutdown()
        }
        await origin.stop()
    }

    @Test func `a file of authorities that is replaced counts from the next request on`() async throws {
        let (origin, directory) = (try await TLSOrigin.start(.selfSigned), try TemporaryDirectory())
        let file = try directory.write(Certificates.second.certificate + "\n\n", to: "ca.pem")
        let transport = transport(TLSSettings(authorities: file, trustsOnlyAuthorities: true))
        #expect(await transport.failure(origin.url)?.reason == .tlsUntrusted)
        try directory.write(TLSOrigin.certificate, to: "ca.pem")
        try await transport.ask(origin.url)
        try directory.write("nothing", to: "ca.pem")
        #expect(await transport.failure(origin.url)?.detail == "'\(file)' holds no certificate in PEM")
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a request that is under way ends on the certificates that it began with`() async throws {
        let (origin, directory) = (try await Origin.start { _ in .json(#"{"answer":42}"#) }, try TemporaryDirectory())
        let file = try directory.write(TLSOrigin.certificate, to: "ca.pem")
        let transport = transport(TLSSettings(authorities: file))
        origin.inject(.slowBody(bytesPerSecond: 20))
        async let slow = transport.ask(origin.url).bytes.count
        await origin.received(1)
        try directory.write(Certificates.second.certificate + "\n", to: "ca.pem")
        #expect(try await transport.ask(origin.url).bytes.count == 13)
        #expect(try await slow == 13)
        #expect(Set(origin.requests.map(\.connection)) == [1, 2])
        await transport.shutdown()
        await origin.closed(downTo: 0)
        await origin.stop()
    }

    @Test func `a transport that is shut down ends requests on replaced certificates too`() async throws {
        let (origin, directory) = (try await Origin.start { _ in .json("{}") }, try TemporaryDirectory())
        let file = try directory.write(TLSOrigin.certificate, to: "ca.pem")
        let transport = transport(TLSSettings(authorities: file))
        origin.inject(.hang)
        async let failure = transport.failure(origin.url)
        await origin.received(1)
        try directory.write(Certificates.second.certificate + "\n", to: "ca.pem")
        try await transport.ask(origin.url)
        await transport.shutdown()
        #expect(await failure?.reason == .cancelled)
        await origin.stop()
    }

    // MARK: Files

    /// Files that cannot be used, as settings and as they are told. `DIR` stands for their directory.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let tls: @Sendable (TemporaryDirectory) throws -> TLSSettings

        init(_ told: String, _ tls: @escaping @Sendable (TemporaryDirectory) throws -> TLSSettings) {
            (testDescription, self.tls) = (told, tls)
        }
    }

    private static func secret(_ text: String) -> TransportSecret {
        TransportSecret("env P") { () async throws(Failure) in text }
    }

    private static func client(
        _ directory: TemporaryDirectory, key: String, password: TransportSecret? = nil
    ) throws -> TLSSettings {
        TLSSettings(
            certificate: try directory.write(Certificates.client.certificate, to: "client.pem"),
            key: try directory.write(key, to: "key.pem"), keyPassword: password)
    }

    static let cases = [
        Case("'DIR/none.pem' cannot be read: No such file or directory") {
            TLSSettings(authorities: $0.path(of: "none.pem"))
        },
        Case("'DIR/none.pem' cannot be read: No such file or directory") {
            TLSSettings(certificate: $0.path(of: "none.pem"))
        },
        Case("'DIR/none.pem' cannot be read: No such file or directory") {
            var tls = try client($0, key: "")
            tls.key = $0.path(of: "none.pem")
            return tls
        },
        Case("'DIR/ca.pem' holds no certificate in PEM") {
            TLSSettings(authorities: try $0.write("-----BEGIN CERTIFICATE-----\nAAAA\n", to: "ca.pem"))
        },
        Case("'DIR' holds no certificate in PEM") { TLSSettings(authorities: $0.path) },
        Case("'DIR/key.pem' holds no certificate in PEM") {
            TLSSettings(certificate: try $0.write(Certificates.client.key, to: "key.pem"))
        },
        Case("'DIR/client.pem' holds no key in PEM, or one with a password, which 'key_password' would name") {
            TLSSettings(certificate: try $0.write(Certificates.client.certificate, to: "client.pem"))
        },
        Case("'DIR/key.pem' holds no key in PEM, or one with a password, which 'key_password' would name") {
            try client($0, key: Certificates.lockedClientKey)
        },
        Case("'DIR/key.pem' holds no key in PEM, or its password is another one") {
            try client($0, key: Certificates.lockedClientKey, password: secret("canary"))
        },
        Case("'DIR/key.pem' holds no key in PEM, or its password is another one") {
            try client($0, key: Certificates.lockedClientKey, password: secret(String(repeating: "canary", count: 500)))
        },
        // With any of them the library below would end the process.
        Case("the password of 'DIR/key.pem' has characters beyond ASCII: give the key another one") {
            try client($0, key: Certificates.lockedClientKey, password: secret("cänäry"))
        },
        Case("the key in 'DIR/key.pem' is not that of the certificate in 'DIR/client.pem'") {
            try client($0, key: Certificates.second.key)
        },
    ]

    @Test(arguments: cases) func `an unusable file is named, and no terminal is prompted`(
        _ example: Case
    ) async throws {
        let (origin, directory) = (try await TLSOrigin.start(.selfSigned), try TemporaryDirectory())
        let tls = try example.tls(directory)
        let told = example.testDescription.replacing("DIR", with: directory.path)
        let transport = transport(tls)
        let failure = try #require(await transport.failure(origin.url))
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.phase == .notSent)
        #expect(failure.detail == told)
        #expect(!"\(failure)".contains("canary") && !"\(failure)".contains("cänäry"))
        let examined = await #expect(throws: Failure.self) { try await PEMFiles.check(tls) }
        #expect(examined?.detail == told)
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a key with a password opens with it, and the certificate's end is known`() async throws {
        let directory = try TemporaryDirectory()
        let tls = try Self.client(directory, key: Certificates.lockedClientKey, password: Self.secret("geheim"))
        #expect(try await PEMFiles.check(tls)?.rfc3339.hasPrefix("2120-01-01T00:00:00") == true)
        let both = try directory.write(Certificates.client.key + "\n" + Certificates.client.certificate, to: "both.pem")
        #expect(try await PEMFiles.check(TLSSettings(certificate: both)) != nil)
        #expect(try await PEMFiles.check(TLSSettings()) == nil)
    }

    @Test func `missing authorities of the environment are reported`() async throws {
        let (origin, tls) = (try await TLSOrigin.start(.selfSigned), TLSSettings(systemAuthorities: "/nowhere/ca.pem"))
        let transport = transport(tls)
        let failure = try #require(await transport.failure(origin.url))
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.phase == .notSent)
        #expect(failure.detail == "the authorities that TLS trusts are missing; see SSL_CERT_FILE and SSL_CERT_DIR")
        let examined = await #expect(throws: Failure.self) { try await PEMFiles.check(tls) }
        #expect(examined?.detail == "'/nowhere/ca.pem' cannot be read: No such file or directory")
        await transport.shutdown()
        await origin.stop()
    }
}
