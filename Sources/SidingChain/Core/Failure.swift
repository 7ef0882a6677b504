internal import SidingJSON

/// Why a call did not end in a value: the one error type of chains.
///
/// ```
/// Failure
/// ├─ reason            what happened (the tree below), the only thing that policy looks at
/// │   ├─ no way out          noInternetConnection, captivePortal
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
/// └─ where             node, method, url (secrets out), detail
/// ```
public struct Failure: Error, Sendable {
    /// How far the request had got, which decides whether a write may be sent again.
    public enum Phase: String, Sendable, Codable, CaseIterable {
        /// No byte of the request can have reached the origin.
        case notSent = "not_sent"
        /// The origin may have acted on the request.
        case maybeSent = "maybe_sent"
        /// The origin answered: at least the head of its answer arrived.
        case answered
    }

    public var reason: Reason
    public var phase: Phase
    /// The step that failed.
    public var node: String?
    /// The request's method.
    public var method: String?
    /// The request's URL, with secrets left out.
    public var url: String?
    /// What the system or a library said, bounded and free of secrets and control characters.
    public var detail: String?
    /// The error of user code or of another layer, where one lies beneath.
    public var underlying: (any Error)?

    /// A failure.
    ///
    /// - Parameters:
    ///   - reason: what happened.
    ///   - phase: how far the request had got.
    ///   - detail: a short sentence fragment for a person, without secrets.
    ///   - underlying: the error beneath.
    public init(_ reason: Reason, phase: Phase, detail: String? = nil, underlying: (any Error)? = nil) {
        self.reason = reason
        self.phase = phase
        self.detail = detail.map(PlainText.oneLine)
        self.underlying = underlying
    }

    /// The same failure, with the place filled in where it is not known yet.
    public func at(node: String? = nil, method: String? = nil, url: String? = nil) -> Failure {
        var placed = self
        placed.node = self.node ?? node
        placed.method = self.method ?? method
        placed.url = self.url ?? url
        return placed
    }

    /// The failure that stands for an error which a user's closure threw.
    ///
    /// A ``Failure`` passes through as it is, a cancellation stays a cancellation.
    public static func wrapping(_ error: any Error, phase: Phase) -> Failure {
        switch error {
        case let failure as Failure: failure
        case is CancellationError: Failure(.cancelled, phase: phase)
        default: Failure(.userCode, phase: phase, detail: String(describing: error), underlying: error)
        }
    }
}

extension Failure {
    /// What happened. Each case is one row of the error table.
    public enum Reason: Sendable, Equatable {
        /// The machine has no way out: no link, no address, no route.
        case noInternetConnection
        /// A portal or a foreign redirect answered in the origin's place.
        case captivePortal
        /// Nothing happened for too long, at the named stage.
        case timeout(TimeoutStage)
        /// The host did not take the connection.
        case cantConnectToHost(ConnectFault)
        /// The resolver could not say for now (EAI_AGAIN, EAI_FAIL).
        case temporaryDNS
        /// The name does not exist (EAI_NONAME, EAI_NODATA).
        case hostNotFound
        /// The certificate is not trusted, expired, or for another name.
        case tlsUntrusted
        /// The peer does not speak TLS, or broke off while agreeing.
        case tlsHandshake
        case proxyUnreachable
        /// The proxy wants credentials (407).
        case proxyAuthentication
        case proxyFault
        /// This machine ran out of something: files, memory, ports, a place in the connection pool.
        case localResource
        /// The connection broke before an answer came.
        case connectionLost
        /// The origin said that it did not look at the request (HTTP/2 REFUSED_STREAM).
        case notProcessed
        /// What came is not HTTP.
        case protocolViolation
        /// The body ended before its declared end.
        case truncated
        /// The body cannot be read: broken compression, another media type than asked for.
        case badContent
        /// The body is larger than `limit` bytes.
        case tooLarge(limit: Int)
        /// The origin sent us where we do not go: too many hops, another origin, to plain http.
        case redirectRefused
        /// A status that is no success.
        case http(HTTPFailure)
        /// The answer arrived whole and breaks what was agreed: not JSON, no records where they should be.
        case contract
        /// The request cannot be sent as it stands: bad URL, method, header value.
        case invalidRequest
        /// A secret could not be read, so the request was not made.
        case credentialUnavailable
        /// The request was not made: the origin asked for patience (`Retry-After`), or a budget of requests is used up
        /// (``BudgetSpent``), and the time is not over.
        case waitingForOrigin
        /// Only what is stored was asked for, and there is nothing, or it could not be read.
        case notCached
        /// The caller or a signal ended the call.
        case cancelled
        /// A state that should be impossible; a bug in Siding or in a library.
        case internalFault
        /// A closure that the user gave threw; see ``Failure/underlying``.
        case userCode
        /// The local store could not do as asked; the value is the store's stable name for why: `busy`, `full`.
        case storage(String)
        /// An error of the operating system that no node has classified yet.
        case system(SystemFault)
    }

    /// Where a call stood still.
    public enum TimeoutStage: String, Sendable, Codable, CaseIterable {
        case connect
        case tlsHandshake = "tls_handshake"
        /// Sending the request stalled.
        case request
        /// The answer did not begin, or stalled.
        case response
        /// The budget of the whole call, body included, ran out.
        case total
        /// Bytes came, but fewer per second than is worth waiting for.
        case minimumRate = "minimum_rate"
    }

    /// Why no connection came about.
    public enum ConnectFault: String, Sendable, Codable, CaseIterable {
        case refused
        case unreachable
        /// A rule on this machine forbids it: firewall, blackhole or prohibit route.
        case localPolicy = "local_policy"
    }
}

/// An error of the operating system, as a transport saw it, before ``TechnicalErrorMapperNode`` classifies it.
public enum SystemFault: Sendable, Hashable {
    /// A failed system call while the connection was being made.
    case connect(errno: Int32)
    /// A failed system call on a connection that was made.
    case established(errno: Int32)
    /// A code of getaddrinfo(3).
    case resolver(code: Int32)
    /// An error that the transport does not know, by its type and case name.
    case unknown(String)
}
