// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

extension Failure: CustomStringConvertible {
    /// One line for people: what happened, for which request, and the system's message.
    public var description: String {
        var line =
            switch underlying {
            // A refused refresh carries status 401, but the origin has not answered.
            case is RefreshRefusal where phase == .notSent: "not signed in"
            case is TrafficSpent: "not requested now"
            default: reason.description
            }
        if let method, let url { line += " (\(method) \(url))" } else if let url { line += " (\(url))" }
        if let detail, !detail.isEmpty { line += ": \(detail)" }
        return line
    }
}

extension Failure.Reason: CustomStringConvertible {
    /// The message for people, without request details.
    public var description: String {
        switch self {
        case .noInternetConnection: "no internet connection"
        case .captivePortal: "a web page answered instead: a login page of this network?"
        case .timeout(let stage): "timeout \(stage.phrase)"
        case .cantConnectToHost(.refused): "can't connect to host: connection refused"
        case .cantConnectToHost(.unreachable): "can't connect to host: host unreachable"
        case .cantConnectToHost(.localPolicy): "can't connect to host: a rule on this machine forbids it"
        case .temporaryDNS: "the name could not be resolved for now"
        case .hostNotFound: "host not found"
        case .tlsUntrusted: "the origin's certificate is not trusted; check the clock and the network"
        case .tlsHandshake: "no TLS connection could be agreed"
        case .proxyUnreachable: "the proxy cannot be reached"
        case .proxyAuthentication: "the proxy wants credentials"
        case .proxyFault: "the proxy failed"
        case .localResource: "this machine ran out of files, memory or connections"
        case .connectionLost: "the connection was lost before an answer came"
        case .notProcessed: "the origin did not take the request"
        case .protocolViolation: "the answer is not valid HTTP"
        case .truncated: "the answer ended before its declared end"
        case .badContent: "the answer's content cannot be read"
        case .tooLarge(let limit): "the answer is larger than the limit of \(limit) bytes"
        case .redirectRefused: "the redirect was not followed"
        case .http(let failure) where failure.reasonPhrase.isEmpty: "the origin answered \(failure.status)"
        case .http(let failure): "the origin answered \(failure.status) \(failure.reasonPhrase)"
        case .contract: "the answer breaks its contract"
        case .invalidRequest: "the request is invalid"
        case .credentialUnavailable: "the credential could not be read"
        case .waitingForOrigin: "not asked yet, as the source is to be left alone for now"
        case .notCached: "no stored answer to this request"
        case .cancelled: "cancelled"
        case .internalFault: "internal fault"
        case .userCode: "a step of the caller's own failed"
        case .storage(let kind): "the local store could not do as asked (\(PlainText.oneLine(kind, limit: 40)))"
        case .system(let fault): "system error: \(fault)"
        }
    }

    /// A stable name for records, JSON output and tests.
    public var name: String {
        switch self {
        case .noInternetConnection: "noInternetConnection"
        case .captivePortal: "captivePortal"
        case .timeout: "timeout"
        case .cantConnectToHost: "cantConnectToHost"
        case .temporaryDNS: "temporaryDNS"
        case .hostNotFound: "hostNotFound"
        case .tlsUntrusted: "tlsUntrusted"
        case .tlsHandshake: "tlsHandshake"
        case .proxyUnreachable: "proxyUnreachable"
        case .proxyAuthentication: "proxyAuthentication"
        case .proxyFault: "proxyFault"
        case .localResource: "localResource"
        case .connectionLost: "connectionLost"
        case .notProcessed: "notProcessed"
        case .protocolViolation: "protocolViolation"
        case .truncated: "truncated"
        case .badContent: "badContent"
        case .tooLarge: "tooLarge"
        case .redirectRefused: "redirectRefused"
        case .http(let failure): failure.statusClass == .unauthorized ? "unauthorized" : "http\(failure.status)"
        case .contract: "contract"
        case .invalidRequest: "invalidRequest"
        case .credentialUnavailable: "credentialUnavailable"
        case .waitingForOrigin: "waitingForOrigin"
        case .notCached: "notCached"
        case .cancelled: "cancelled"
        case .internalFault: "internalFault"
        case .userCode: "userCode"
        case .storage: "storage"
        case .system: "system"
        }
    }
}

extension Failure.TimeoutStage {
    fileprivate var phrase: String {
        switch self {
        case .connect: "while connecting"
        case .tlsHandshake: "while agreeing on TLS"
        case .request: "while sending the request"
        case .response: "while waiting for the answer"
        case .total: "of the whole request"
        case .minimumRate: "because the answer came too slowly"
        }
    }
}
