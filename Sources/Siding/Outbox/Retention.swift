public import SidingChain

/// What becomes of a request that failed. This file is the one table of it.
public enum Retention: Sendable, Equatable {
    /// It goes back to the queue and is tried again.
    ///
    /// - `counted`: whether the try counts as a failed attempt and lengthens the backoff.
    /// - `attempts`: after so many counted tries it fails (a fetch) or is parked (a write); nil for no such end.
    /// - `minimumWait`: the least time until the next try.
    case keep(counted: Bool, attempts: Int? = nil, minimumWait: Duration? = nil)
    /// The source waits for a person to sign in; the request is kept with it.
    case signIn
    /// The request waits for a person.
    case park(ParkReason)
    /// Nothing is retained: the run fails and says so.
    case fail
    /// Our own doing: the request stays what it was, as if it had not been tried.
    case release
}

/// Why an entry waits for a person.
public enum ParkReason: String, Sendable, Codable, CaseIterable {
    case uncertain, rejected, conflict, poison, expired, invalid, held, dependency
    case signIn = "sign_in"
    case keyExpired = "key_expired"
}

/// What kind of request failed.
public enum RequestKind: Sendable, Equatable {
    /// A page that could not be had.
    case fetch
    /// The user's own write. `resendable`: the method is idempotent, or the origin honours the key and it still lives.
    case write(resendable: Bool)
}

extension Failure {
    /// What becomes of a request of `kind` that ended in this failure.
    ///
    /// The switch has no `default` on purpose: a new ``SidingChain/Failure/Reason`` does not compile until someone decides here.
    public func retention(of kind: RequestKind) -> Retention {
        switch reason {
        case .noInternetConnection, .captivePortal, .waitingForOrigin:
            .keep(counted: false)
        case .timeout, .cantConnectToHost, .temporaryDNS, .tlsHandshake, .proxyUnreachable, .proxyFault,
            .localResource, .connectionLost, .protocolViolation, .system, .internalFault, .storage:
            counted(kind)
        case .notProcessed:
            .keep(counted: true)
        case .truncated, .badContent:
            unreadableAnswer(kind)
        case .tlsUntrusted:
            .keep(counted: true, minimumWait: .seconds(15 * 60))
        case .hostNotFound:
            .keep(counted: true, attempts: 3)
        case .proxyAuthentication:
            .signIn
        case .http where underlying is CredentialRefusal:
            .signIn
        case .http(let failure):
            failure.retention(of: kind, counted: counted(kind))
        case .tooLarge, .redirectRefused, .contract, .invalidRequest, .credentialUnavailable, .notCached, .userCode:
            ended(kind)
        case .cancelled:
            phase == .notSent ? .release : counted(kind, release: true)
        }
    }

    /// Counted and kept; but a write that may have been sent, and may not be sent twice, is parked.
    private func counted(_ kind: RequestKind, release: Bool = false) -> Retention {
        switch kind {
        case .write(resendable: false) where phase != .notSent: .park(.uncertain)
        case .fetch, .write: release ? .release : .keep(counted: true)
        }
    }

    /// The answer came but cannot be read. For a write the origin has acted; sending again needs a resendable request.
    private func unreadableAnswer(_ kind: RequestKind) -> Retention {
        switch kind {
        case .fetch: .keep(counted: true, attempts: 3)
        case .write(let resendable): resendable ? .keep(counted: true, attempts: 3) : .park(.uncertain)
        }
    }

    private func ended(_ kind: RequestKind) -> Retention {
        switch kind {
        case .fetch: .fail
        case .write: .park(.rejected)
        }
    }
}

extension HTTPFailure {
    fileprivate func retention(of kind: RequestKind, counted: Retention) -> Retention {
        switch statusClass {
        case .unauthorized: .signIn
        case .backOff, .portal: .keep(counted: false)
        case .requestTimeout, .tooEarly, .serverError, .unexpected: counted
        case .insufficientStorage:
            counted == .keep(counted: true) ? .keep(counted: true, minimumWait: .seconds(15 * 60)) : counted
        case .conflict: kind == .fetch ? .fail : .park(.conflict)
        case .notImplemented, .gone, .refused: kind == .fetch ? .fail : .park(.rejected)
        }
    }
}
