// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNodes
import Testing

/// Row by row: in which failures a stored answer may stand in for the origin's.
@Suite struct CacheFallbackTests {
    static let allowing: [Failure.Reason] =
        [
            .noInternetConnection, .captivePortal, .waitingForOrigin, .temporaryDNS, .hostNotFound, .tlsUntrusted,
            .tlsHandshake, .proxyUnreachable, .proxyFault, .localResource, .connectionLost, .notProcessed,
            .protocolViolation, .truncated, .system(.unknown("x")),
        ] + Failure.TimeoutStage.allCases.map { .timeout($0) }
        + Failure.ConnectFault.allCases.map { .cantConnectToHost($0) }
        + [408, 425, 429, 500, 501, 502, 503, 504, 505, 507, 511, 599].map { .http(HTTPFailure(status: $0)) }

    static let refusing: [Failure.Reason] =
        [
            .proxyAuthentication, .credentialUnavailable, .badContent, .tooLarge(limit: 1), .redirectRefused, .contract,
            .invalidRequest, .notCached, .cancelled, .internalFault, .userCode,
        ] + [300, 400, 401, 403, 404, 405, 409, 410, 412, 422, 428, 451].map { .http(HTTPFailure(status: $0)) }

    @Test(arguments: allowing) func `the origin could not be had`(_ reason: Failure.Reason) {
        #expect(Failure(reason, phase: .maybeSent).allowsCachedAnswer)
    }

    @Test(arguments: refusing) func `the failure must be seen`(_ reason: Failure.Reason) {
        #expect(!Failure(reason, phase: .answered).allowsCachedAnswer)
    }
}
