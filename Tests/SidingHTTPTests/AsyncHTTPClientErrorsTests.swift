// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import SidingChain
import Testing

@testable import SidingHTTP

/// Every error that the libraries below can throw, and what it becomes. A member that is missing here is a member that
/// nobody decided about: the list follows AsyncHTTPClient 1.37.
@Suite struct AsyncHTTPClientErrorsTests {
    typealias Row = (error: HTTPClientError, reason: Failure.Reason)

    static let rows: [Row] = [
        (.invalidURL, .invalidRequest), (.emptyHost, .invalidRequest), (.missingSocketPath, .invalidRequest),
        (.alreadyShutdown, .internalFault), (.emptyScheme, .invalidRequest),
        (.unsupportedScheme("canary"), .invalidRequest),
        (.readTimeout, .timeout(.response)), (.writeTimeout, .timeout(.request)),
        (.remoteConnectionClosed, .connectionLost), (.cancelled, .cancelled),
        (.identityCodingIncorrectlyPresent, .invalidRequest), (.invalidProxyResponse, .proxyFault),
        (.contentLengthMissing, .invalidRequest), (.proxyAuthenticationRequired, .proxyAuthentication),
        (.redirectLimitReached, .redirectRefused), (.redirectCycleDetected, .redirectRefused),
        (.uncleanShutdown, .connectionLost), (.traceRequestWithBody, .invalidRequest),
        (.invalidHeaderFieldNames(["canary"]), .invalidRequest),
        (.invalidHeaderFieldValues(["canary"]), .invalidRequest),
        (.bodyLengthMismatch, .invalidRequest), (.writeAfterRequestSent, .internalFault),
        (.connectTimeout, .timeout(.connect)), (.socksHandshakeTimeout, .proxyFault),
        (.httpProxyHandshakeTimeout, .proxyFault), (.tlsHandshakeTimeout, .timeout(.tlsHandshake)),
        (.serverOfferedUnsupportedApplicationProtocol("canary"), .protocolViolation),
        (.shutdownUnsupported, .internalFault), (.deadlineExceeded, .timeout(.total)),
        (.requestStreamCancelled, .cancelled), (.getConnectionFromPoolTimeout, .localResource),
        (.invalidRedirectConfiguration, .internalFault), (.invalidHTTPVersionConfiguration, .internalFault),
        (.invalidDNSOverridesConfiguration, .internalFault), (.invalidLocalAddress, .internalFault),
        (.invalidProxyConfiguration, .internalFault), (.internalStateFailure(), .internalFault),
    ]

    @Test func `every member of HTTPClientError has its row`() {
        for row in Self.rows + Outdated.rows {
            let failure = AsyncHTTPClientErrors.failure(row.error, Self.sent)
            #expect(failure.reason == row.reason, "\(row.error.shortDescription)")
            #expect(failure.phase == .maybeSent, "\(row.error.shortDescription)")
            #expect(!"\(failure)".contains("canary"), "values are not quoted")
        }
        let names = Set((Self.rows + Outdated.rows).map(\.error.shortDescription))
        #expect(names.count == 40, "each member once")
    }

    @Test(arguments: [
        (Failure.Phase.notSent, false, Failure.Reason.connectionLost), (.notSent, true, .tlsHandshake),
        (.maybeSent, false, .connectionLost), (.maybeSent, true, .connectionLost), (.answered, false, .truncated),
    ])
    func `a connection that closes has the meaning of its phase`(
        _ phase: Failure.Phase, _ isSecure: Bool, _ reason: Failure.Reason
    ) {
        let situation = AsyncHTTPClientErrors.Situation(phase: phase, isSecure: isSecure, limit: 1)
        let closings: [any Error] = [
            HTTPClientError.remoteConnectionClosed, ChannelError.eof, ChannelError.ioOnClosedChannel,
            HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown,
        ]
        for error in closings {
            let failure = AsyncHTTPClientErrors.failure(error, situation)
            #expect(failure.reason == reason, "\(error)")
            #expect(failure.phase == phase, "\(error)")
        }
    }

    @Test func `a connection that ends while it is set up was closed by the proxy, if there is one`() throws {
        struct NoResult: Error {}
        let (proxy, isSecure) = (try Proxy("proxy.example:3128"), true)
        let direct = AsyncHTTPClientErrors.Situation(phase: .notSent, isSecure: isSecure, limit: 1)
        let between = AsyncHTTPClientErrors.Situation(phase: .notSent, isSecure: isSecure, limit: 1, proxy: proxy)
        let endings: [any Error] = [
            NoResult(), ChannelPipelineError.notFound, ChannelError.ioOnClosedChannel,
            HTTPClientError.remoteConnectionClosed,
            NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), IOError(errnoCode: 104, reason: "read"),
        ]
        for error in endings {
            let failure = AsyncHTTPClientErrors.failure(error, between)
            #expect(failure.reason == .proxyFault, "\(error)")
            #expect(failure.phase == .notSent, "\(error)")
            #expect(
                failure.detail == "proxy.example:3128: it, or the origin behind it, closed the connection", "\(error)")
        }
        for error in endings.dropLast() {
            #expect(AsyncHTTPClientErrors.failure(error, direct).reason == .tlsHandshake, "\(error)")
        }
        let sent = AsyncHTTPClientErrors.Situation(phase: .maybeSent, isSecure: isSecure, limit: 1, proxy: proxy)
        let lost = AsyncHTTPClientErrors.failure(HTTPClientError.remoteConnectionClosed, sent)
        #expect(
            lost.reason == .connectionLost, "once the request may have been sent, it is not the proxy's fault alone")
        #expect(lost.phase == .maybeSent)
    }

    @Test func `an errno keeps its value and has its stage`() {
        let error = IOError(errnoCode: 104, reason: "read")
        #expect(AsyncHTTPClientErrors.failure(error, Self.unsent).reason == .system(.connect(errno: 104)))
        #expect(AsyncHTTPClientErrors.failure(error, Self.sent).reason == .system(.established(errno: 104)))
        #expect(AsyncHTTPClientErrors.failure(error, Self.answered).phase == .answered)
    }

    @Test func `other libraries' errors have their rows`() {
        let rows: [(any Error, Failure.Reason)] = [
            (ChannelError.connectTimeout(.seconds(1)), .timeout(.connect)),
            (ChannelError.operationUnsupported, .internalFault),
            (EventLoopError.shutdown, .cancelled), (CancellationError(), .cancelled),
            (HTTPParserError.headerOverflow, .protocolViolation),
            (HTTPParserError.invalidChunkSize, .protocolViolation),
            (NIOHTTPDecompression.DecompressionError.limit, .tooLarge(limit: 99)),
            (NIOHTTPDecompression.DecompressionError.inflationError(-3), .badContent),
            (NIOHTTPDecompression.ExtraDecompressionError.truncatedData, .truncated),
            (NIOHTTPDecompression.ExtraDecompressionError.invalidTrailingData, .badContent),
            (NIOSSLError.handshakeFailed(.sslError([.eofDuringHandshake])), .tlsHandshake),
            (NIOSSLError.unableToValidateCertificate, .tlsUntrusted),
            (NIOSSLExtraError.failedToValidateHostname, .tlsUntrusted),
            (NIOTooManyBytesError(maxBytes: 1), .tooLarge(limit: 99)),
            (Failure(.contract, phase: .answered), .contract),
        ]
        for (error, reason) in rows {
            #expect(AsyncHTTPClientErrors.failure(error, Self.answered).reason == reason, "\(error)")
        }
    }

    @Test func `an unknown error may have happened after the first byte`() {
        enum Novel: Error { case surprise(String) }
        let failure = AsyncHTTPClientErrors.failure(Novel.surprise("canary"), Self.unsent)
        guard case .system(.unknown(let name)) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(name.hasSuffix("Novel.surprise"))
        #expect(failure.phase == .maybeSent)
        #expect(AsyncHTTPClientErrors.failure(Novel.surprise("canary"), Self.answered).phase == .answered)
        #expect(!"\(failure)".contains("canary"))
    }

    @Test func `an unknown name fails with the resolver's code`() async throws {
        // No label is longer than 63 bytes (RFC 1035 §2.3.4): the resolver says no without asking anyone.
        let transport = HTTPTransport()
        let name = String(repeating: "a", count: 64)
        let failure = try #require(await transport.failure(try HTTPURL("https://\(name).invalid/")))
        guard case .system(.resolver(let code)) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(code < 0)
        #expect(failure.phase == .notSent)
        await transport.shutdown()
    }

    private static let unsent = AsyncHTTPClientErrors.Situation(phase: .notSent, isSecure: false, limit: 99)
    private static let sent = AsyncHTTPClientErrors.Situation(phase: .maybeSent, isSecure: false, limit: 99)
    private static let answered = AsyncHTTPClientErrors.Situation(phase: .answered, isSecure: false, limit: 99)
}

private protocol Rows {
    static var rows: [AsyncHTTPClientErrorsTests.Row] { get }
}

/// Members that are deprecated, reached through a protocol so that naming them is no warning.
private enum Deprecated: Rows {
    @available(*, deprecated)
    static var rows: [AsyncHTTPClientErrorsTests.Row] {
        [
            (.chunkedSpecifiedMultipleTimes, .internalFault), (.incompatibleHeaders, .internalFault),
            (.httpEndReceivedAfterHeadWith1xx, .internalFault),
        ]
    }
}

private enum Outdated {
    static var rows: [AsyncHTTPClientErrorsTests.Row] { listed(Deprecated.self) }
    private static func listed(_ rows: (some Rows).Type) -> [AsyncHTTPClientErrorsTests.Row] { rows.rows }
}
