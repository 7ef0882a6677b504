// SPDX-License-Identifier: Apache-2.0
internal import NIOSSL
package import SidingChain
internal import SidingSynchronization

/// The certificate files of a source.
package enum PEMFiles {
    /// Reads them as a connection would.
    ///
    /// - Returns: when the client's certificate ends; nil if there is none.
    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable`` that names the file.
    package static func check(_ settings: TLSSettings) async throws(Failure) -> Timestamp? {
        if let place = settings.systemAuthorities { try checkReadable(place) }
        let tls = try await TLSConfiguration.client(settings)
        guard case .certificate(let certificate)? = tls.certificateChain.first else { return nil }
        return Timestamp(microseconds: Int64(certificate.notValidAfter) * 1_000_000)
    }

    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable``
    static func certificates(in file: String) throws(Failure) -> [NIOSSLCertificate] {
        try checkReadable(file)
        do { return try NIOSSLCertificate.fromPEMFile(file) } catch {
            throw refusal("'\(file)' holds no certificate in PEM")
        }
    }

    /// - Throws: ``SidingChain/Failure/Reason/credentialUnavailable``
    static func key(in file: String, password: TransportSecret?) async throws(Failure) -> NIOSSLPrivateKey {
        try checkReadable(file)
        let text = try await password?.read()
        // NIOSSL ends the process on any other character.
        guard text?.utf8.allSatisfy({ $0 < 0x80 }) ?? true else {
            throw refusal("the password of '\(file)' has characters beyond ASCII: give the key another one")
        }
        do {
            // Without the closure, a key with a password could ask for it at the terminal.
            return try NIOSSLPrivateKey(file: file, format: .pem) { (setter: NIOSSLPassphraseSetter<[UInt8]>) in
                setter(Array((text ?? "").utf8))
            }
        } catch {
            throw refusal(
                text == nil
                    ? "'\(file)' holds no key in PEM, or one with a password, which 'key_password' would name"
                    : "'\(file)' holds no key in PEM, or its password is another one")
        }
    }

    static func refusal(_ detail: String) -> Failure {
        Failure(.credentialUnavailable, phase: .notSent, detail: detail)
    }

    private static func checkReadable(_ file: String) throws(Failure) {
        guard access(file, R_OK) != 0 else { return }
        throw refusal("'\(file)' cannot be read: \(String(cString: strerror(errno)))")
    }
}

/// What shows that a file has changed.
struct FileStamp: Equatable {
    private var seconds = 0
    private var nanoseconds = 0
    private var size: Int64 = 0
    private var number: UInt64 = 0

    /// - Parameter path: a file; a missing one has a stamp too.
    init(_ path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return }
        (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
        (size, number) = (Int64(found.st_size), UInt64(found.st_ino))
    }
}
