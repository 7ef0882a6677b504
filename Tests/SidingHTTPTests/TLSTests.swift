// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingTesting
import Testing

@Suite struct TLSTests {
    @Test(arguments: [
        (TLSOrigin.Manner.selfSigned, Failure.Reason.tlsUntrusted), (.otherName, .tlsUntrusted),
        (.plain, .tlsHandshake),
        (.closes, .tlsHandshake),
    ])
    func `an origin that cannot be trusted gets no byte of the request`(
        _ manner: TLSOrigin.Manner, _ reason: Failure.Reason
    ) async throws {
        let origin = try await TLSOrigin.start(manner)
        let transport = HTTPTransport()
        let failure = try #require(await transport.failure(origin.url, headerFields: [.authorization: "canary"]))
        #expect(failure.reason == reason)
        #expect(failure.phase == .notSent)
        #expect(!"\(failure)".contains("canary"))
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a certificate of the given authority is trusted`() async throws {
        let (origin, directory) = (try await TLSOrigin.start(.selfSigned), try TemporaryDirectory())
        try directory.write(TLSOrigin.certificate, to: "ca.pem")
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: .trusting(directory.path(of: "ca.pem"))))
        #expect(try await transport.ask(origin.url).bytes == Array("ok".utf8))
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a trusted certificate for another name is not trusted here`() async throws {
        let (origin, directory) = (try await TLSOrigin.start(.otherName), try TemporaryDirectory())
        try directory.write(TLSOrigin.otherCertificate, to: "ca.pem")
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: .trusting(directory.path(of: "ca.pem"))))
        let failure = try #require(await transport.failure(origin.url))
        #expect(failure.reason == .tlsUntrusted)
        #expect(failure.phase == .notSent)
        await transport.shutdown()
        await origin.stop()
    }

    @Test func `a missing authority file is reported as such`() async throws {
        let origin = try await TLSOrigin.start(.selfSigned)
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: .trusting("/nowhere/ca.pem")))
        let failure = try #require(await transport.failure(origin.url))
        #expect(failure.phase == .notSent)
        #expect(failure.reason == .credentialUnavailable)
        await transport.shutdown()
        await origin.stop()
    }
}

extension TransportSettings {
    /// Settings that trust only the authorities in `file`.
    static func trusting(_ file: String) -> TransportSettings {
        TransportSettings().with(\.tls, TLSSettings(authorities: file, trustsOnlyAuthorities: true))
    }
}
