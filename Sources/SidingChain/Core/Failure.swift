// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// Why a call failed: the only error type that chains throw.
///
/// ```
/// Failure
/// ├─ reason            what happened
/// │   ├─ no network path     noInternetConnection, captivePortal
/// │   ├─ not reached         timeout(connect, tls), cantConnectToHost, temporaryDNS, hostNotFound,
/// │   │                      tlsUntrusted, tlsHandshake, proxyUnreachable, proxyAuthentication, proxyFault,
/// │   │                      localResource
/// │   ├─ perhaps reached     timeout(request, response, total, minimumRate), connectionLost, notProcessed,
/// │   │                      protocolViolation
/// │   ├─ answered            http(status…), truncated, badContent, tooLarge, redirectRefused, contract
/// │   ├─ never sent          invalidRequest, credentialUnavailable, waitingForOrigin, notCached
/// │   ├─ ended by us         cancelled, internalFault, userCode, storage
/// │   └─ not yet classified  system (an errno or resolver code that no node has mapped)
/// ├─ phase             notSent, maybeSent, answered
/// └─ where             node, method, url (without secrets), detail
/// ```
public struct Failure: Error, Sendable {
    /// How far the request got, which decides whether a write may be sent again.
    public enum Phase: String, Sendable, Codable, CaseIterable {
        /// No byte of the request can have reached the origin.
        case notSent = "not_sent"
        /// The origin may have acted on the request.
        case maybeSent = "maybe_sent"
        /// The origin answered: at least the head of its response arrived.
        case answered
    }

    /// What happened. Policies decide by it, and by ``phase-swift.property`` whether a write may be sent again.
    public var reason: Reason
    /// How far the request got.
    public var phase: Phase
    /// The step that failed.
    public var node: String?
    /// The request's method.
    public var method: String?
    /// The request's URL, with secrets left out.
    public var url: String?
    /// The message of the system or a library, bounded and free of secrets and control characters.
    public var detail: String?
    /// The error of user code or of another layer that caused this failure, if any.
    public var underlying: (any Error)?

    /// A failure.
    ///
    /// - Parameters:
    ///   - reason: what happened.
    ///   - phase: how far the request got.
    ///   - detail: a short sentence fragment for people, without secrets.
    ///   - underlying: the error that caused this failure.
    public init(_ reason: Reason, phase: Phase, detail: String? = nil, underlying: (any Error)? = nil) {
        self.reason = reason
        self.phase = phase
        self.detail = detail.map(PlainText.oneLine)
        self.underlying = underlying
    }

    /// The same failure, with node, method and URL filled in if they are not known yet.
    public func at(node: String? = nil, method: String? = nil, url: String? = nil) -> Failure {
        var placed = self
        placed.node = self.node ?? node
        placed.method = self.method ?? method
        placed.url = self.url ?? url
        return placed
    }

    /// Turns an error that a user's closure threw into a failure.
    ///
    /// A ``Failure`` is returned unchanged, and a cancellation stays a cancellation.
    public static func wrapping(_ error: any Error, phase: Phase) -> Failure {
        switch error {
        case let failure as Failure: failure
        case is CancellationError: Failure(.cancelled, phase: phase)
        default: Failure(.userCode, phase: phase, detail: String(describing: error), underlying: error)
        }
    }
}

extension Failure {
    /// The status of the origin's answer; nil for every other reason.
    public var status: Int? {
        if case .http(let answer) = reason { answer.status } else { nil }
    }

    /// Whether this machine has no way to the network: no path at all, or a captive portal in between.
    public var isOffline: Bool {
        switch reason {
        case .noInternetConnection, .captivePortal: true
        case .http(let answer): answer.statusClass == .portal
        default: false
        }
    }

    /// Whether the request went out, and its answer took too long or broke off: a smaller one may get through.
    package var isLostAnswer: Bool {
        switch reason {
        case .timeout, .connectionLost, .truncated: phase != .notSent
        default: false
        }
    }

    /// Whether the origin refused this request for what it asks, so that another one may be answered.
    package var isOfRequest: Bool {
        status.map { (400..<500).contains($0) && ![401, 403, 408, 425, 429].contains($0) } ?? false
    }

    /// Whether the same request may succeed later, with nothing changed at this end. A write that ``phase`` says may have been
    /// sent may also have had its effect.
    ///
    /// It has no `default` on purpose: a new ``Reason`` does not compile until someone decides here.
    public var isRetryable: Bool {
        switch reason {
        case .noInternetConnection, .captivePortal, .waitingForOrigin,
            .timeout, .cantConnectToHost, .temporaryDNS, .hostNotFound, .tlsUntrusted, .tlsHandshake, .proxyUnreachable,
            .proxyFault, .localResource, .connectionLost, .notProcessed, .protocolViolation, .truncated, .badContent,
            .system, .internalFault, .storage:
            true
        case .http(let answer):
            switch answer.statusClass {
            case .requestTimeout, .tooEarly, .backOff, .serverError, .insufficientStorage, .portal, .unexpected: true
            case .unauthorized, .notImplemented, .conflict, .gone, .refused: false
            }
        // Like a 401, a 407 asks the user for credentials.
        case .proxyAuthentication, .credentialUnavailable, .tooLarge, .redirectRefused, .contract, .invalidRequest,
            .notCached, .cancelled, .userCode:
            false
        }
    }
}

extension Failure {
    /// What happened. Each case is one row of the error table.
    public enum Reason: Sendable, Equatable {
        /// The machine has no network path: no link, no address, no route.
        case noInternetConnection
        /// A web page answered in place of the origin, such as that of a captive portal.
        case captivePortal
        /// A timeout, at the named stage.
        case timeout(TimeoutStage)
        /// The host did not accept the connection.
        case cantConnectToHost(ConnectFault)
        /// The resolver failed temporarily (EAI_AGAIN, EAI_FAIL).
        case temporaryDNS
        /// The name does not exist (EAI_NONAME, EAI_NODATA).
        case hostNotFound
        /// The certificate is not trusted, expired, or for another name.
        case tlsUntrusted
        /// The peer does not speak TLS, or broke off the handshake.
        case tlsHandshake
        /// No connection to the proxy could be made; the origin was not asked.
        case proxyUnreachable
        /// The proxy requires credentials (407).
        case proxyAuthentication
        /// The proxy accepted the connection but did not connect to the origin: it closed the connection, was too slow, or
        /// answered with something other than HTTP/1.
        case proxyFault
        /// This machine ran out of something: files, memory, ports, a place in the connection pool.
        case localResource
        /// The connection broke before a response came.
        case connectionLost
        /// The origin reported that it did not process the request (HTTP/2 REFUSED_STREAM).
        case notProcessed
        /// The received bytes are not HTTP.
        case protocolViolation
        /// The body ended before its declared end.
        case truncated
        /// The body cannot be read: broken compression, or a media type other than the requested one.
        case badContent
        /// The body is larger than `limit` bytes.
        case tooLarge(limit: Int)
        /// A redirect that is not followed: too many hops, another origin, or to plain http.
        case redirectRefused
        /// A status that is not a success.
        case http(HTTPFailure)
        /// The response arrived whole but breaks the contract: not JSON, or no records where they should be.
        case contract
        /// The request cannot be sent: bad URL, method or header value.
        case invalidRequest
        /// A secret could not be read, so the request was not made.
        case credentialUnavailable
        /// The request was not made: a `Retry-After` of the origin has not passed yet, or a request budget is used up
        /// (`BudgetSpent`).
        case waitingForOrigin
        /// Only a stored response was asked for, and there is none or it could not be read.
        case notCached
        /// The caller or a signal ended the call.
        case cancelled
        /// A state that should be impossible: a bug in Siding or in a library.
        case internalFault
        /// A closure of the user threw; see ``Failure/underlying``.
        case userCode
        /// The local store failed; the value is the store's stable name for the cause: `busy`, `full`.
        case storage(String)
        /// An error of the operating system that no node has classified yet.
        case system(SystemFault)
    }

    /// The stage at which a call timed out.
    public enum TimeoutStage: String, Sendable, Codable, CaseIterable {
        /// The host did not accept the connection in time.
        case connect
        /// The connection was made, but TLS was not agreed in time.
        case tlsHandshake = "tls_handshake"
        /// Sending the request stalled.
        case request
        /// The response did not begin, or stalled.
        case response
        /// The time limit of the whole call, body included, ran out.
        case total
        /// Bytes came, but more slowly than the minimum rate.
        case minimumRate = "minimum_rate"
    }

    /// Why no connection could be made.
    public enum ConnectFault: String, Sendable, Codable, CaseIterable {
        /// Nothing listens there (ECONNREFUSED), or the Unix socket does not exist yet.
        case refused
        /// The host is unreachable, although this machine is online (EHOSTUNREACH).
        case unreachable
        /// A rule on this machine forbids it: firewall, blackhole or prohibit route.
        case localPolicy = "local_policy"
    }

    /// An operating system error as the transport reported it, before ``TechnicalErrorMapperNode`` classifies it.
    public enum SystemFault: Sendable, Hashable {
        /// A failed system call while the connection was being made.
        case connect(errno: Int32)
        /// A failed system call on an established connection.
        case established(errno: Int32)
        /// A code of getaddrinfo(3).
        case resolver(code: Int32)
        /// An error that the transport does not know: its type and case name.
        case unknown(String)
    }
}
