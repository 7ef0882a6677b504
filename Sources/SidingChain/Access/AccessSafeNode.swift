// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
internal import Logging

/// Keeps a request signed in: supplies the current credential, and after a 401 a renewed one, once.
///
/// Before the attempt it waits for a running refresh of the source and puts the stored credential into the context, where
/// ``AccessTokenProvider`` reads it. If the origin refuses the attempt (401, or another of `statuses`) and
/// another credential has been stored meanwhile, the attempt is repeated with that one. Otherwise one refresh runs for all
/// calls of the source, and the attempt is repeated after it. The wrapped node must fail for such a status, so wrap the request
/// from ``RequestCreatorNode`` to ``ResponseHTTPErrorProcessorNode``. Writes may be repeated too: a 401 means that the origin
/// did not act, and the body is made anew for each attempt.
///
/// A call that is itself part of a refresh passes through.
public struct AccessSafeNode<Wrapped: Node>: WrapperNode {
    public let wrapped: Wrapped
    private let safety: AccessSafety

    /// Wraps the nodes of one attempt, from ``RequestCreatorNode`` to ``ResponseHTTPErrorProcessorNode``.
    ///
    /// - Parameters:
    ///   - wrapped: the nodes of one attempt.
    ///   - safety: the one value that all chains of the source share; another one would refresh a second time.
    public init(_ wrapped: Wrapped, _ safety: AccessSafety) {
        self.wrapped = wrapped
        self.safety = safety
    }

    public func process(_ input: Wrapped.Input, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        guard !context.isExemptFromAccessSafety else { return try await wrapped.process(input, context) }
        let admission = try await admit(context)
        do {
            return try await wrapped.process(input, context.with(admission.credential))
        } catch {
            guard isRefused(error, context) else { throw error }
            let renewed = try await renew(admission, error, context)
            context.log(.info, "request goes out again with another credential", node: name)
            return try await lastAttempt(input, context.with(renewed))
        }
    }

    private func admit(_ context: ChainContext) async throws(Failure) -> AccessGuard.Admission {
        do { return try await safety.accessGuard.admit(context) } catch { throw error.at(node: name) }
    }

    private func renew(
        _ admission: AccessGuard.Admission, _ refusal: Failure, _ context: ChainContext
    ) async throws(Failure) -> Credential {
        do { return try await safety.accessGuard.renew(admission, context) } catch {
            guard error.underlying is RefreshRefusal else {
                throw error.at(node: name, method: refusal.method, url: refusal.url)
            }
            throw described(error, by: refusal)
        }
    }

    /// Reports a refused refresh with the origin's own 401, if there is one.
    private func described(_ failure: Failure, by refusal: Failure) -> Failure {
        guard case .http(let answer) = refusal.reason, answer.status == 401 else {
            return failure.at(node: name, method: refusal.method, url: refusal.url)
        }
        var described = refusal
        (described.detail, described.underlying) = (failure.detail, failure.underlying)
        return described
    }

    private func lastAttempt(
        _ input: Wrapped.Input, _ context: ChainContext
    ) async throws(Failure) -> Wrapped.Output {
        do { return try await wrapped.process(input, context) } catch {
            guard isRefused(error, context), error.detail == nil else { throw error }
            var described = error
            if described.underlying == nil { described.underlying = CredentialRefusal() }
            described.detail =
                "the renewed credential of '\(safety.settings.account)' was not taken either; sign in again"
            throw described
        }
    }

    private func isRefused(_ failure: Failure, _ context: ChainContext) -> Bool {
        if case .http(let answer) = failure.reason, safety.settings.statuses.contains(answer.status) { return true }
        return safety.refusals.contains { $0(failure, context) }
    }
}

extension Node {
    /// Keeps this node signed in with `safety`, which all chains of the source share.
    public func accessSafe(_ safety: AccessSafety) -> AccessSafeNode<Self> {
        AccessSafeNode(self, safety)
    }
}

extension ChainContext {
    fileprivate func with(_ credential: Credential) -> ChainContext {
        var context = self
        context.credential = credential
        return context
    }
}

/// Puts the context's access token on each attempt: `Authorization: Bearer …` (RFC 6750 §2.1), or another field.
///
/// For chains below an ``AccessSafeNode``, which reads the credential.
public struct AccessTokenProvider: MetadataProvider, Hashable {
    /// The header field that carries the token.
    public let field: HTTPField.Name
    /// The text before the token, including its space.
    public let prefix: String

    /// By default `Authorization: Bearer TOKEN`. For an origin with `X-Token: TOKEN`, pass that field and an empty prefix.
    public init(field: HTTPField.Name = .authorization, prefix: String = "Bearer ") {
        (self.field, self.prefix) = (field, prefix)
    }

    /// - Throws: ``Failure/Reason/credentialUnavailable`` if the context holds no credential, or one that no header field can
    ///   carry; the error does not contain the value.
    public func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
        guard let token = context.credential?.accessToken else {
            throw unavailable("the call has no credential: its chain lacks an AccessSafeNode")
        }
        // RFC 6750 §2.1 allows visible ASCII only; anything else would be cut or be read as another field.
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw unavailable("the access token is empty, or holds a space, a line break or a character beyond ASCII")
        }
        return [field: prefix + token]
    }

    private func unavailable(_ why: String) -> Failure {
        Failure(.credentialUnavailable, phase: .notSent, detail: why)
    }
}
