// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import SidingChain
internal import SidingSynchronization

/// Maps the errors of AsyncHTTPClient and of the libraries below it to failures; the only place that does.
///
/// System errors (errno, resolver code) are kept for ``SidingChain/TechnicalErrors`` to classify. Library error texts are never
/// quoted: some contain header values.
enum AsyncHTTPClientErrors {
    /// The state of the request when the error came.
    struct Situation {
        /// How far the request got.
        let phase: Failure.Phase
        /// Whether the connection uses https.
        let isSecure: Bool
        /// The maximum size of a body in bytes.
        let limit: Int
        /// The proxy between; nil for none.
        var proxy: Proxy?
    }

    static func failure(_ error: any Error, _ situation: Situation) -> Failure {
        let failure = ofLibrary(error, situation)
        guard let proxy = situation.proxy, failure.phase == .notSent else { return failure }
        return failure.through(proxy)
    }

    private static func ofLibrary(_ error: any Error, _ situation: Situation) -> Failure {
        switch error {
        case let failure as Failure: failure
        case is CancellationError: Failure(.cancelled, phase: situation.phase)
        case let error as HTTPClientError: ofClient(error, situation)
        case let error as NIOConnectionError: ofConnecting(error)
        case let error as SocketAddressError.UnknownHost: resolver(error)
        case let error as IOError: ofSystem(error, situation)
        case let error as ChannelError: ofChannel(error, situation)
        case let error as EventLoopError: ofLoop(error, situation)
        case let error as NIOSSLError: ofTLS(error, situation)
        case is NIOSSLExtraError:
            Failure(.tlsUntrusted, phase: situation.phase, detail: "the certificate is for another name")
        case let error as BoringSSLError: ofBoringSSL(error, situation)
        // A connection that was closed while it was set up misses its handlers.
        case is NIOTLSUnwrappingError, is NIOSSLCloseTimedOutError, is ChannelPipelineError: broken(situation)
        case let error as HTTPParserError: ofParser(error, situation)
        case let error as AnswerGuard.Violation:
            Failure(.protocolViolation, phase: situation.phase, detail: error.detail)
        case is NIOHTTPDecoderError:
            Failure(.protocolViolation, phase: situation.phase, detail: "it came without a request")
        case let error as NIOHTTPDecompression.DecompressionError: ofDecompression(error, situation)
        case let error as NIOHTTPDecompression.ExtraDecompressionError: ofDecompression(error, situation)
        case is NIOTooManyBytesError: Failure(.tooLarge(limit: situation.limit), phase: situation.phase)
        // A private type of AsyncHTTPClient: a connection ended before its proxy or TLS began to speak.
        case _ where String(describing: type(of: error)) == "NoResult": broken(situation)
        default: unknown(error, situation)
        }
    }

    /// The failure for a connection that ended; it depends on how far the request got.
    private static func broken(_ situation: Situation) -> Failure {
        switch situation.phase {
        case .notSent where situation.proxy != nil: Failure(.proxyFault, phase: .notSent, detail: closedBehindProxy)
        case .notSent: Failure(situation.isSecure ? .tlsHandshake : .connectionLost, phase: .notSent)
        case .maybeSent: Failure(.connectionLost, phase: .maybeSent)
        case .answered: Failure(.truncated, phase: .answered)
        }
    }

    private static func unknown(_ error: any Error, _ situation: Situation) -> Failure {
        let mirror = Mirror(reflecting: error)
        var name = String(reflecting: type(of: error))
        if mirror.displayStyle == .enum { name += ".\(mirror.children.first?.label ?? "\(error)")" }
        // An unknown error may have happened after the first byte was sent.
        return Failure(.system(.unknown(name)), phase: situation.phase == .answered ? .answered : .maybeSent)
    }
}

// MARK: - AsyncHTTPClient

extension AsyncHTTPClientErrors {
    private static func ofClient(_ error: HTTPClientError, _ situation: Situation) -> Failure {
        switch error {
        case .remoteConnectionClosed, .uncleanShutdown:
            return broken(situation)
        default:
            let name = error.shortDescription
            // The description of this member contains a source location of the library.
            let reason = name.hasPrefix("An internal state failure") ? .internalFault : reasons[name]
            return reason.map { Failure($0, phase: situation.phase) } ?? unknown(error, situation)
        }
    }

    /// Keyed by the library's short descriptions, a bounded set: the only way to match members with associated values, and
    /// deprecated ones.
    private static let reasons: [String: Failure.Reason] = {
        var reasons: [String: Failure.Reason] = [:]
        for (reason, errors) in table {
            for error in errors { reasons[error.shortDescription] = reason }
        }
        // Deprecated members are no longer thrown and cannot be named without a warning; if one is thrown, it is a bug of the
        // library.
        for name in [
            "Chunked specified multiple times", "Incompatible headers", "HTTP end received after head with 1xx",
        ] { reasons[name] = .internalFault }
        return reasons
    }()

    private static let table: [(Failure.Reason, [HTTPClientError])] = [
        (.timeout(.connect), [.connectTimeout]),
        (.timeout(.tlsHandshake), [.tlsHandshakeTimeout]),
        (.timeout(.request), [.writeTimeout]),
        (.timeout(.response), [.readTimeout]),
        (.timeout(.total), [.deadlineExceeded]),
        (.localResource, [.getConnectionFromPoolTimeout]),
        (.proxyAuthentication, [.proxyAuthenticationRequired]),
        (.proxyFault, [.invalidProxyResponse, .httpProxyHandshakeTimeout, .socksHandshakeTimeout]),
        (.protocolViolation, [.serverOfferedUnsupportedApplicationProtocol("")]),
        (.redirectRefused, [.redirectLimitReached, .redirectCycleDetected]),
        (.cancelled, [.cancelled, .requestStreamCancelled]),
        (
            .invalidRequest,
            [
                .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .unsupportedScheme(""),
                .invalidHeaderFieldNames([]), .invalidHeaderFieldValues([]), .traceRequestWithBody,
                .identityCodingIncorrectlyPresent, .contentLengthMissing, .bodyLengthMismatch,
            ]
        ),
        (
            .internalFault,
            [
                .alreadyShutdown, .writeAfterRequestSent, .shutdownUnsupported, .invalidRedirectConfiguration,
                .invalidHTTPVersionConfiguration, .invalidDNSOverridesConfiguration, .invalidLocalAddress,
                .invalidProxyConfiguration,
            ]
        ),
    ]
}

// MARK: - Connections

extension AsyncHTTPClientErrors {
    /// No address accepted the connection, or the name has no address.
    private static func ofConnecting(_ error: NIOConnectionError) -> Failure {
        let situation = Situation(phase: .notSent, isSecure: false, limit: 0)
        let attempts = error.connectionErrors.map { failure($0.error, situation) }
        // A machine without IPv6 fails for that family first; the errors of the other addresses matter more.
        if let attempt = attempts.first(where: { !$0.saysNoRoute }) ?? attempts.first { return attempt }
        let lookups = [error.dnsAError, error.dnsAAAAError].compactMap { $0 }.map { failure($0, situation) }
        // A temporary error of one family wins over "no such name" of the other: the name may well exist.
        return lookups.first { !$0.saysNoSuchName } ?? lookups.first ?? unknown(error, situation)
    }

    private static func resolver(_ error: SocketAddressError.UnknownHost) -> Failure {
        Failure(.system(.resolver(code: Int32(clamping: error.errorCode))), phase: .notSent)
    }

    private static func ofSystem(_ error: IOError, _ situation: Situation) -> Failure {
        let fault: Failure.SystemFault =
            situation.phase == .notSent ? .connect(errno: error.errnoCode) : .established(errno: error.errnoCode)
        return Failure(.system(fault), phase: situation.phase)
    }

    private static func ofChannel(_ error: ChannelError, _ situation: Situation) -> Failure {
        switch error {
        case .connectTimeout: Failure(.timeout(.connect), phase: .notSent)
        case .eof, .ioOnClosedChannel, .alreadyClosed, .outputClosed, .inputClosed: broken(situation)
        default: Failure(.internalFault, phase: situation.phase)
        }
    }

    private static func ofLoop(_ error: EventLoopError, _ situation: Situation) -> Failure {
        switch error {
        case .cancelled, .shutdown: Failure(.cancelled, phase: situation.phase)
        default: Failure(.internalFault, phase: situation.phase)
        }
    }

    private static func ofTLS(_ error: NIOSSLError, _ situation: Situation) -> Failure {
        switch error {
        case .unableToValidateCertificate, .noCertificateToValidate:
            return Failure(.tlsUntrusted, phase: situation.phase)
        case .handshakeFailed(let cause):
            // BoringSSL's reason code is not public, so the name is searched for in the description.
            let text = String(describing: cause)
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return Failure(
                    .tlsUntrusted, phase: situation.phase,
                    detail: "no trusted authority has signed it, or it is not valid at this time")
            }
            if situation.proxy != nil, text.contains("EOF during handshake") { return broken(situation) }
            return Failure(
                .tlsHandshake, phase: situation.phase, detail: handshakeMessage(text) ?? certificateMessage(text))
        case .noSuchFilesystemObject:
            return Failure(
                .credentialUnavailable, phase: situation.phase,
                detail: "the authorities that TLS trusts are missing; see SSL_CERT_FILE and SSL_CERT_DIR")
        case .failedToLoadCertificate, .failedToLoadPrivateKey:
            return Failure(.internalFault, phase: situation.phase, detail: "a certificate file could not be read")
        case .uncleanShutdown, .shutdownFailed, .writeDuringTLSShutdown, .readInInvalidTLSState:
            return broken(situation)
        default:
            return Failure(.tlsHandshake, phase: situation.phase)
        }
    }
}

extension AsyncHTTPClientErrors {
    fileprivate static let closedBehindProxy = "it, or the origin behind it, closed the connection"

    /// The detail of a failure after which it is open whether the proxy answered at all.
    static func closedBehind(_ proxy: Proxy) -> String { "\(proxy): \(closedBehindProxy)" }

    /// What the origin's alert says about what the client offers; nil for other alerts.
    private static func handshakeMessage(_ text: String) -> String? {
        if text.contains("ALERT_PROTOCOL_VERSION") {
            return "the origin speaks no version of TLS that 'tls: { min_version }' allows"
        }
        guard text.contains("ALERT_HANDSHAKE_FAILURE") else { return nil }
        return "the origin accepts none of the offered versions and ciphers, or asks for a client certificate: "
            + "'tls: { certificate, key }' names one"
    }

    private static func ofBoringSSL(_ error: BoringSSLError, _ situation: Situation) -> Failure {
        switch error {
        case .unknownError where situation.phase == .notSent:
            return Failure(
                .tlsHandshake, phase: .notSent,
                detail: "the authorities that TLS trusts, or the certificate, cannot be used")
        default:
            // With TLS 1.3 a client sends its request before it hears that its certificate is refused. The origin has not
            // read it then.
            let message = situation.phase == .answered ? nil : certificateMessage(String(describing: error))
            guard let message else { return broken(situation) }
            return Failure(.tlsHandshake, phase: .notSent, detail: message)
        }
    }

    /// What the origin's alert says about the client's certificate (RFC 8446 §6.2); nil for other alerts.
    private static func certificateMessage(_ text: String) -> String? {
        if text.contains("CERTIFICATE_REQUIRED") {
            return "the origin asks for a client certificate: 'tls: { certificate, key }' names one"
        }
        let others = ["BAD_CERTIFICATE", "UNSUPPORTED_CERTIFICATE", "UNKNOWN_CA", "CERTIFICATE_", "ACCESS_DENIED"]
        guard others.contains(where: { text.contains("ALERT_\($0)") }) else { return nil }
        return
            "the origin does not accept the client certificate, or asks for one: 'tls: { certificate, key }' names it"
    }
}

// MARK: - Responses

extension AsyncHTTPClientErrors {
    private static func ofParser(_ error: HTTPParserError, _ situation: Situation) -> Failure {
        switch error {
        case .invalidEOFState, .closedConnection: broken(situation)
        default: Failure(.protocolViolation, phase: situation.phase, detail: detail(of: error))
        }
    }

    private static func detail(of error: HTTPParserError) -> String? {
        switch error {
        case .headerOverflow: "its head is larger than 80 KiB"
        case .invalidVersion: "its HTTP version is not 1.0 or 1.1"
        case .invalidStatus: "its status line is damaged"
        case .invalidConstant, .invalidCharactersUsed: "it does not begin with HTTP/1"
        case .invalidHeaderToken: "a header field has a character that is not allowed"
        case .invalidContentLength: "its Content-Length is not a number"
        case .unexpectedContentLength: "it declares its length twice, and differently"
        case .invalidChunkSize: "the size of a chunk is not a number"
        case .lfExpected, .strictModeAssertion: "a line does not end with CRLF"
        case .trailingGarbage: "bytes that belong to no answer follow it"
        default: nil
        }
    }

    private static func ofDecompression(
        _ error: NIOHTTPDecompression.DecompressionError, _ situation: Situation
    ) -> Failure {
        switch error {
        case .limit: Failure(.tooLarge(limit: situation.limit), phase: situation.phase)
        case .inflationError, .initializationError: Failure(.badContent, phase: situation.phase)
        }
    }

    private static func ofDecompression(
        _ error: NIOHTTPDecompression.ExtraDecompressionError, _ situation: Situation
    ) -> Failure {
        Failure(error == .truncatedData ? .truncated : .badContent, phase: situation.phase)
    }
}

extension Failure {
    /// The failure of a request that was to go through `proxy`.
    fileprivate func through(_ proxy: Proxy) -> Failure {
        var failure = self
        switch reason {
        case .system(.connect(ECONNRESET)), .system(.connect(EPIPE)), .system(.connect(ECONNABORTED)):
            failure.reason = .proxyFault
            failure.detail = AsyncHTTPClientErrors.closedBehind(proxy)
        case .system(.connect), .system(.resolver):
            (failure.detail, failure.underlying) = ("no connection to the proxy \(proxy)", UnreachedProxy())
        case .proxyAuthentication: failure.detail = "\(proxy) answered 407"
        case .proxyFault: failure.detail = "\(proxy): \(detail ?? "it did not connect to the origin")"
        case .timeout(.connect), .timeout(.tlsHandshake): failure.detail = "through the proxy \(proxy)"
        case .tlsUntrusted:
            failure.detail =
                "\(detail.map { "\($0); " } ?? "")the proxy \(proxy) is between; if it inspects TLS, 'tls: { ca_file }' names its authority"
        default: break
        }
        return failure
    }

    /// Whether the attempt failed on this machine, because it has no route or no address of that family.
    fileprivate var saysNoRoute: Bool {
        guard case .system(.connect(let errno)) = reason else { return false }
        // EINVAL: the address of `interface` is of the other family.
        return [ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL].contains(errno)
    }

    fileprivate var saysNoSuchName: Bool {
        guard case .system(.resolver(let code)) = reason else { return false }
        // EAI_NODATA (-5) is hidden in glibc's header.
        return code == EAI_NONAME || code == -5
    }
}
