// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// A response whose status is not a success: the status, selected header fields and the start of the body.
public struct HTTPFailure: Sendable, Equatable {
    /// At most this many bytes of the body are kept.
    public static let bodyLimit = 65_536

    /// The status code, such as 404 or 503.
    public var status: Int
    /// `Retry-After`, `ETag`, `Last-Modified`, `Date`, `Content-Type`, `Content-Range`, `WWW-Authenticate`, `Location` and
    /// rate-limit fields.
    public var headerFields: HTTPFields
    /// The first ``bodyLimit`` bytes.
    public var body: [UInt8]

    /// A failure for tests and for transports of your own; unlike those of a chain, it keeps all that it is given.
    public init(status: Int, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// Groups statuses by whether and how to try again.
    package enum StatusClass: Sendable, CaseIterable {
        /// 401
        case unauthorized
        /// 408
        case requestTimeout
        /// 425 (RFC 8470)
        case tooEarly
        /// 429, 503: the origin asks to wait.
        case backOff
        /// 500, 502, 504 and every 5xx not listed here.
        case serverError
        /// 507: the origin has no space left; retry slowly.
        case insufficientStorage
        /// 501, 505: the origin will never support this.
        case notImplemented
        /// 511 (RFC 6585): a captive portal answered.
        case portal
        /// 409, 412, 428: someone else changed the resource.
        case conflict
        /// 404, 410
        case gone
        /// Every other 4xx, and a 3xx that could not be followed.
        case refused
        /// A status that should not end a call: 1xx, or out of range.
        case unexpected
    }

    package var statusClass: StatusClass {
        switch status {
        case 401: .unauthorized
        case 408: .requestTimeout
        case 425: .tooEarly
        case 429, 503: .backOff
        case 501, 505: .notImplemented
        case 507: .insufficientStorage
        case 511: .portal
        case 404, 410: .gone
        case 409, 412, 428: .conflict
        case 300..<500: .refused
        case 500..<600: .serverError
        default: .unexpected
        }
    }

    /// The registered name of the status, as Swift writes it: `badRequest`, `unauthorized`, `forbidden`, `notFound`,
    /// `internalServerError`, `tooManyRequests`; empty for a status without a name.
    public var name: String {
        let words = reasonPhrase.split(separator: " ")
        return (words.first?.lowercased() ?? "") + words.dropFirst().joined()
    }

    /// The reason phrase of RFC 9110, for messages; empty for other statuses.
    package var reasonPhrase: String { Self.registered.first { $0.code == status }?.reasonPhrase ?? "" }

    /// The registered statuses other than success. HTTPTypes has their phrases only on its constants, not by code.
    private static let registered: [HTTPResponse.Status] = [
        .multipleChoices, .movedPermanently, .found, .seeOther, .notModified, .temporaryRedirect,
        .permanentRedirect, .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .notAcceptable,
        .proxyAuthenticationRequired, .requestTimeout,
        .conflict, .gone, .lengthRequired, .preconditionFailed, .contentTooLarge, .uriTooLong,
        .unsupportedMediaType, .rangeNotSatisfiable, .expectationFailed, .misdirectedRequest,
        .unprocessableContent, .tooEarly, .upgradeRequired, .preconditionRequired, .tooManyRequests,
        .requestHeaderFieldsTooLarge, .unavailableForLegalReasons, .internalServerError, .notImplemented, .badGateway,
        .serviceUnavailable, .gatewayTimeout, .httpVersionNotSupported, .networkAuthenticationRequired,
    ]
}
