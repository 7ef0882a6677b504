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
