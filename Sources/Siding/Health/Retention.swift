// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// What happens to a request that failed. This file is the only table of these rules; ``RetryRules`` has its
/// numbers.
package enum Retention: Sendable, Equatable {
    /// Returns to the queue and is tried again.
    ///
    /// - `counted`: whether the attempt counts and lengthens the backoff.
    /// - `attempts`: after this many counted attempts a fetch fails and a write is parked; nil for no limit.
    /// - `minimumWait`: the shortest wait before the next attempt.
    case keep(counted: Bool, attempts: Int? = nil, minimumWait: Duration? = nil)
    /// The source waits for a sign-in. A write is parked; a fetch is kept only if it was in the queue already.
    case signIn
    /// The request is parked until an operator acts.
    case park(ParkReason)
    /// No new entry is made for a fetch, and the sync of its resource fails; a write is parked as rejected.
    case fail
    /// We stopped it ourselves: the request keeps its earlier state, as if it had not been tried.
    case release
}

/// Why an entry is parked.
public enum ParkReason: String, Sendable, Codable, CaseIterable {
    /// It may have arrived, and a second delivery could do harm.
    case uncertain
    /// The origin refused it for good.
    case rejected
    /// The record has changed at the origin since the edit was made.
    case conflict
    /// Three senders died while sending it.
    case poison
    /// It was not delivered within its `expiry`.
    case expired
    /// It cannot be sent as it is stored.
    case invalid
    /// An operator or the program held it.
    case held
    /// An entry that it waited for was dropped.
    case dependency
    /// The origin wants a sign-in; the whole source waits.
    case signIn = "sign_in"
    /// It may have arrived, and the origin has forgotten its idempotency key.
    case keyExpired = "key_expired"
}

/// The kind of the failed request.
package enum RequestKind: Sendable, Equatable {
    case fetch
    /// A write of the user. `resendable`: the method is idempotent, or the origin honours the key and still remembers it.
    case write(resendable: Bool)
}

extension Failure {
    /// Decides what happens to a request of `kind` that ended with this failure.
    ///
    /// The switch has no `default` on purpose: a new ``SidingChain/Failure/Reason`` does not compile until someone decides
    /// here.
    package func retention(of kind: RequestKind) -> Retention {
        switch reason {
        case .captivePortal:
            // The web page may be the origin's own, so the waits have to grow.
            kind == .fetch ? .keep(counted: true) : portal(kind)
        case .noInternetConnection, .waitingForOrigin:
            .keep(counted: false)
        case .timeout, .cantConnectToHost, .temporaryDNS, .tlsHandshake, .proxyUnreachable, .proxyFault,
            .localResource, .connectionLost, .protocolViolation, .system, .internalFault, .storage:
            counted(kind)
        case .notProcessed:
            .keep(counted: true)
        case .truncated where kind == .fetch:
            // A line breaks off in an answer as it does before it.
            .keep(counted: true)
        case .truncated, .badContent:
            unreadableAnswer(kind)
        case .tlsUntrusted:
            .keep(counted: true, minimumWait: RetryRules.repairWait)
        case .hostNotFound:
            .keep(counted: true, attempts: RetryRules.unknownHostAttempts)
        case .credentialUnavailable:
            // A run says so at once. A write waits, because the secret may be readable again soon.
            kind == .fetch ? .fail : counted(kind)
        case .proxyAuthentication:
            .signIn
        case .http where underlying is CredentialRefusal:
            .signIn
        case .http(let failure):
            failure.retention(of: kind, counted: counted(kind))
        case .redirectRefused where mayFollowWrite && kind == .write(resendable: false):
            .park(.uncertain)
        case .tooLarge, .redirectRefused, .contract, .invalidRequest, .notCached, .userCode:
            ended(kind)
        case .cancelled:
            phase == .notSent ? .release : counted(kind, release: true)
        }
    }

    /// Whether it is the redirect of a write that the origin may have carried out: many answer a POST so, with the address of what
    /// it made.
    private var mayFollowWrite: Bool { underlying is RedirectedWrite }

    /// Counts the attempt and keeps the request. A write that may have been sent, and may not be sent twice, is parked.
    private func counted(_ kind: RequestKind, release: Bool = false) -> Retention {
        switch kind {
        case .write(resendable: false) where phase != .notSent: .park(.uncertain)
        case .fetch, .write: release ? .release : .keep(counted: true)
        }
    }

    /// Nothing else ends the wait: other requests may be answered while a web page answers this one.
    private func portal(_ kind: RequestKind) -> Retention {
        counted(kind) == .keep(counted: true)
            ? .keep(counted: true, minimumWait: RetryRules.probeWindow) : counted(kind)
    }

    /// An answer came but cannot be read. The origin has acted on the write, so only a resendable request is sent again.
    private func unreadableAnswer(_ kind: RequestKind) -> Retention {
        if case .write(resendable: false) = kind { return .park(.uncertain) }
        return .keep(counted: true, attempts: RetryRules.unreadableAnswerAttempts)
    }

    private func ended(_ kind: RequestKind) -> Retention {
        switch kind {
        case .fetch: .fail
        case .write: .park(.rejected)
        }
    }
}

extension HTTPFailure {
    /// Whether the origin has turned the request away, so that it has not acted on it, whatever a rule makes of the
    /// answer. A POST that is redirected may have been carried out.
    var isTurnedAway: Bool {
        switch statusClass {
        // An origin that answers 425 did not process the request (RFC 8470 §5.2).
        case .unauthorized, .backOff, .portal, .conflict, .gone, .notImplemented, .tooEarly: true
        case .refused: status >= 400
        case .requestTimeout, .serverError, .insufficientStorage, .unexpected: false
        }
    }

    fileprivate func retention(of kind: RequestKind, counted: Retention) -> Retention {
        switch statusClass {
        case .unauthorized: .signIn
        case _ where asksToWait: .keep(counted: false)
        case .refused where speaksOfLimit:
            // It may as well be about rights: then it ends as any refusal.
            .keep(
                counted: true, attempts: RetryRules.limitedRefusalAttempts, minimumWait: RetryRules.unspecifiedWait)
        case .backOff, .portal: .keep(counted: false)
        case .tooEarly: .keep(counted: true)
        case .requestTimeout, .serverError, .unexpected: counted
        case .insufficientStorage:
            counted == .keep(counted: true) ? .keep(counted: true, minimumWait: RetryRules.repairWait) : counted
        case .conflict: kind == .fetch ? .fail : .park(.conflict)
        case .notImplemented, .gone, .refused: kind == .fetch ? .fail : .park(.rejected)
        }
    }
}

extension Failure {
    /// Whether the origin was asked, or could not be reached; not where our own stop or limit came before.
    var isOfTry: Bool {
        switch reason {
        case .cancelled, .waitingForOrigin: phase != .notSent
        default: true
        }
    }

    /// Whether nothing was asked of the origin. What the program's own code refuses is about the one request.
    var isUnasked: Bool { reason == .cancelled || (phase == .notSent && reason != .userCode) }

    /// Whether this machine has no network: the source's gate closes, and one request at a time tests it. Other connection
    /// failures may concern one host only; see ``isConnectionFailure``.
    var isOffline: Bool { reason == .noInternetConnection }

    /// Whether the connection failed, ``isOffline`` or not: the wait of the entry ends early when the network changes, or when
    /// another request of the source is answered. A web page says nothing of the sort: it may be the origin's own.
    var isConnectionFailure: Bool {
        switch reason {
        case .timeout, .cantConnectToHost, .temporaryDNS, .hostNotFound, .connectionLost, .noInternetConnection,
            .tlsHandshake, .proxyUnreachable, .proxyFault:
            true
        default: false
        }
    }
}
