// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON

/// The token endpoint's refusal: the credential cannot be renewed until the user signs in again.
///
/// A custom refresh throws it if the endpoint refuses in its own way. These are recognized by default: every 4xx that is not
/// temporary, a redirect that was not followed, and the error `invalid_grant` (RFC 6749 §5.2). None of them may be taken for
/// the origin's response to the waiting request. A failure of ``AccessSafeNode`` carries it as ``Failure/underlying``.
public struct RefreshRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The endpoint's message, on one line: `400 invalid_grant`.
    public let description: String

    /// - Parameter word: the endpoint's message, without secrets.
    public init(_ word: String) {
        description = PlainText.oneLine(word, limit: 100)
    }
}

extension Failure {
    /// The refusal that this failure of a refresh means; nil if the refresh failed otherwise, so that a later one may succeed.
    var refusal: RefreshRefusal? {
        if let refusal = underlying as? RefreshRefusal { return refusal }
        guard case .http(let answer) = reason else { return nil }
        let error = answer.errorCode
        // These errors do not concern the credential, whatever their status.
        if ["server_error", "slow_down", "temporarily_unavailable"].contains(error) { return nil }
        guard answer.isRefusal || error == "invalid_grant" else { return nil }
        return RefreshRefusal("\(answer.status) \(error ?? answer.reasonPhrase)")
    }
}

extension HTTPFailure {
    /// Whether asking again will not help.
    fileprivate var isRefusal: Bool {
        switch statusClass {
        case .unauthorized, .refused, .gone, .conflict: true
        case .requestTimeout, .tooEarly, .backOff, .serverError, .insufficientStorage, .notImplemented, .portal,
            .unexpected:
            false
        }
    }

    /// The `error` member of an OAuth 2 error response (RFC 6749 §5.2), if it looks like a known code: anything else may repeat
    /// secrets of the request.
    package var errorCode: String? {
        body.withUnsafeBytes { bytes in
            guard (try? JSONSyntax.validate(bytes)) != nil,
                let word = JSONMembers.value(at: JSONPath(member: "error"), in: bytes)?.string(in: bytes)
            else { return nil }
            return word.wholeMatch(of: /[a-z_]{1,40}/) == nil ? nil : word
        }
    }
}

/// The underlying error of a request whose renewed credential the origin refused too, with 401 or another status of
/// ``AccessSafety/statuses``.
package struct CredentialRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "the origin refused the credential" }
}
