internal import SidingJSON

/// The token endpoint's no: the credential is not renewed until a person signs in again.
///
/// A refresh that a program writes itself throws it where the endpoint says so in its own way; every 4xx that is no matter
/// of time, a redirect that was not followed, and the error `invalid_grant` (RFC 6749 §5.2) are known anyway: none of
/// them may be taken for the origin's answer to the request that waits. A failure of ``AccessSafeNode`` carries it as
/// ``Failure/underlying``.
public struct RefreshRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The endpoint's word, on one line: `400 invalid_grant`.
    public let description: String

    /// - Parameter word: what the endpoint said; no secret.
    public init(_ word: String) {
        description = PlainText.oneLine(word, limit: 100)
    }
}

extension Failure {
    /// The no of a token endpoint that this failure of a refresh stands for; nil where the refresh failed otherwise, so
    /// that a later one may go well.
    var refusal: RefreshRefusal? {
        if let refusal = underlying as? RefreshRefusal { return refusal }
        guard case .http(let answer) = reason else { return nil }
        let error = answer.errorCode
        // These are no word about the credential, whatever status they come with.
        if ["server_error", "slow_down", "temporarily_unavailable"].contains(error) { return nil }
        guard answer.isRefusal || error == "invalid_grant" else { return nil }
        return RefreshRefusal("\(answer.status) \(error ?? answer.name)")
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

    /// The member `error` of an error answer of OAuth 2 (RFC 6749 §5.2), where it has the form of the codes that are known:
    /// anything else may repeat what the endpoint was told.
    package var errorCode: String? {
        body.withUnsafeBytes { bytes in
            guard (try? JSONSyntax.validate(bytes)) != nil,
                let word = JSONMembers.value(at: JSONPath(member: "error"), in: bytes)?.string(in: bytes)
            else { return nil }
            return word.wholeMatch(of: /[a-z_]{1,40}/) == nil ? nil : word
        }
    }
}

/// Beneath the failure of a request whose renewed credential the origin did not take either, by whatever status it says so:
/// what 401 means by itself, ``AccessSafety/statuses`` says of others.
package struct CredentialRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "the origin refused the credential" }
}
