// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// The form of a failure in a tape file. The underlying error, which may be of any type, is not stored.
struct TapeFailure: Codable {
    let failure: Failure

    private enum CodingKeys: CodingKey {
        case reason, phase, stage, fault, limit, storage, system, http, node, method, url, detail
    }

    private enum System: Codable {
        case connect(errno: Int32)
        case established(errno: Int32)
        case resolver(code: Int32)
        case unknown(name: String)
    }

    private struct Answer: Codable {
        let status: Int
        let headerFields: TapeFields
        let body: Tape.Body
    }

    init(_ failure: Failure) {
        self.failure = failure
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .reason)
        let phase = try container.decode(Failure.Phase.self, forKey: .phase)
        let detail = try container.decodeIfPresent(String.self, forKey: .detail)
        failure = Failure(try Self.reason(name, container), phase: phase, detail: detail).at(
            node: try container.decodeIfPresent(String.self, forKey: .node),
            method: try container.decodeIfPresent(String.self, forKey: .method),
            url: try container.decodeIfPresent(String.self, forKey: .url))
    }

    private static func reason(
        _ name: String, _ container: KeyedDecodingContainer<CodingKeys>
    ) throws -> Failure.Reason {
        switch name {
        case "timeout": return .timeout(try container.decode(Failure.TimeoutStage.self, forKey: .stage))
        case "cantConnectToHost":
            return .cantConnectToHost(try container.decode(Failure.ConnectFault.self, forKey: .fault))
        case "tooLarge": return .tooLarge(limit: try container.decode(Int.self, forKey: .limit))
        case "storage": return .storage(try container.decode(String.self, forKey: .storage))
        case "system": return .system(Self.fault(try container.decode(System.self, forKey: .system)))
        case "http":
            let answer = try container.decode(Answer.self, forKey: .http)
            return .http(
                HTTPFailure(status: answer.status, headerFields: answer.headerFields.fields, body: answer.body.bytes))
        default:
            guard let reason = plain.first(where: { $0.name == name }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .reason, in: container, debugDescription: "no reason of a failure is named '\(name)'")
            }
            return reason
        }
    }

    private static func fault(_ system: System) -> Failure.SystemFault {
        switch system {
        case .connect(let errno): .connect(errno: errno)
        case .established(let errno): .established(errno: errno)
        case .resolver(let code): .resolver(code: code)
        case .unknown(let name): .unknown(name)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(failure.phase, forKey: .phase)
        try container.encodeIfPresent(failure.node, forKey: .node)
        try container.encodeIfPresent(failure.method, forKey: .method)
        try container.encodeIfPresent(failure.url, forKey: .url)
        try container.encodeIfPresent(failure.detail, forKey: .detail)
        try Self.encode(failure.reason, &container)
    }

    /// No `default`: a new reason does not compile until someone decides how a tape stores it.
    private static func encode(
        _ reason: Failure.Reason, _ container: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        var name = reason.name
        switch reason {
        case .timeout(let stage): try container.encode(stage, forKey: .stage)
        case .cantConnectToHost(let fault): try container.encode(fault, forKey: .fault)
        case .tooLarge(let limit): try container.encode(limit, forKey: .limit)
        case .storage(let kind): try container.encode(kind, forKey: .storage)
        case .system(let fault): try container.encode(system(fault), forKey: .system)
        case .http(let answer):
            name = "http"
            let held = Answer(
                status: answer.status, headerFields: TapeFields(answer.headerFields), body: Tape.Body(answer.body))
            try container.encode(held, forKey: .http)
        case .noInternetConnection, .captivePortal, .temporaryDNS, .hostNotFound, .tlsUntrusted, .tlsHandshake,
            .proxyUnreachable, .proxyAuthentication, .proxyFault, .localResource, .connectionLost, .notProcessed,
            .protocolViolation, .truncated, .badContent, .redirectRefused, .contract, .invalidRequest,
            .credentialUnavailable, .waitingForOrigin, .notCached, .cancelled, .internalFault, .userCode:
            break
        }
        try container.encode(name, forKey: .reason)
    }

    private static func system(_ fault: Failure.SystemFault) -> System {
        switch fault {
        case .connect(let errno): .connect(errno: errno)
        case .established(let errno): .established(errno: errno)
        case .resolver(let code): .resolver(code: code)
        case .unknown(let name): .unknown(name: name)
        }
    }

    /// The reasons without associated values.
    static let plain: [Failure.Reason] = [
        .noInternetConnection, .captivePortal, .temporaryDNS, .hostNotFound, .tlsUntrusted, .tlsHandshake,
        .proxyUnreachable, .proxyAuthentication, .proxyFault, .localResource, .connectionLost, .notProcessed,
        .protocolViolation, .truncated, .badContent, .redirectRefused, .contract, .invalidRequest,
        .credentialUnavailable, .waitingForOrigin, .notCached, .cancelled, .internalFault, .userCode,
    ]
}
