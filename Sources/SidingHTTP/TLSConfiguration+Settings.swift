// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOSSL
internal import SidingChain

extension TLSConfiguration {
    /// The client's configuration for `settings`; reads the certificates and the key.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable`` that names the file.
    static func client(_ settings: TLSSettings) async throws(Failure) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = settings.minimumVersion == .v1_3 ? .tlsv13 : .tlsv12
        // An origin that never answers the closing alert would otherwise hold the connection, and a shutdown, for five seconds.
        tls.shutdownTimeout = .milliseconds(100)
        if let place = settings.systemAuthorities { tls.trustRoots = .file(place) }
        if let file = settings.authorities {
            let authorities = try PEMFiles.certificates(in: file)
            if settings.trustsOnlyAuthorities {
                tls.trustRoots = .certificates(authorities)
            } else {
                tls.additionalTrustRoots = [.certificates(authorities)]
            }
        }
        guard let file = settings.certificate else { return tls }
        let key = settings.key ?? file
        tls.certificateChain = try PEMFiles.certificates(in: file).map { .certificate($0) }
        tls.privateKey = .privateKey(try await PEMFiles.key(in: key, password: settings.keyPassword))
        // The first connection would find it out as well, but not say it.
        do { _ = try NIOSSLContext(configuration: tls.withoutTrust) } catch {
            throw PEMFiles.refusal("the key in '\(key)' is not that of the certificate in '\(file)'")
        }
        return tls
    }

    /// The certificate and the key alone.
    private var withoutTrust: TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        (tls.certificateChain, tls.privateKey) = (certificateChain, privateKey)
        return tls
    }
}
