// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
internal import HTTPTypes
internal import SidingChain

/// Obtains the next token of a source as its sign-in describes: by a request, or by running a program.
struct SignInRequest: Sendable {
    let signIn: SignIn
    let baseURL: HTTPURL
    /// Header fields of log-in requests, as of every request to the source.
    let headerFields: HTTPFields
    let transport: any Transport
    let environment: RuntimeEnvironment

    /// The maximum size of a token response in bytes.
    private static let limit = 1 << 20

    func grant(_ spent: Credential, _ context: ChainContext) async throws(Failure) -> TokenGrant {
        let grant = try await granted(spent, context)
        // If it were stored, every request would fail until somebody removes it.
        let bytes = grant.accessToken.utf8
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            let why = RefreshRefusal(
                "what it gave is not a token: it \(bytes.isEmpty ? "is empty" : "holds a space or a character beyond ASCII")"
            )
            throw Failure(.contract, phase: .answered, underlying: why)
        }
        return grant
    }

    private func granted(_ spent: Credential, _ context: ChainContext) async throws(Failure) -> TokenGrant {
        switch signIn.grant {
        case .clientCredentials(let client):
            return try await token(client, ["grant_type": "client_credentials"], context)
        case .refreshToken(let client, _):
            let form = ["grant_type": "refresh_token", "refresh_token": spent.refreshToken ?? ""]
            return try await token(client, form, context)
        case .session(let login):
            let answer = try await ask(try await draft(login), context)
            return try login.places.grant(answer.bytes ?? [], answer.response.headerFields, now: now)
        case .command(let program, let places):
            return try places.printed(try await output(of: program), now: now)
        }
    }

    private var now: Double { environment.wallClock.now.secondsSince1970 }

    private func token(
        _ client: OAuthClient, _ form: [String: String], _ context: ChainContext
    ) async throws(Failure) -> TokenGrant {
        let answer = try await ask(try await draft(client, form), context)
        do { return try TokenGrant(parsing: answer.bytes ?? [], now: now) } catch {
            guard error.underlying == nil else { throw error }
            throw Failure(.contract, phase: .answered, underlying: RefreshRefusal("its answer holds no access_token"))
        }
    }

    private func output(of program: Secret) async throws(Failure) -> String {
        do { return try await program.text() } catch {
            guard error.reason == .credentialUnavailable else { throw error }
            throw Failure(
                .credentialUnavailable, phase: .notSent, underlying: RefreshRefusal(error.detail ?? "no token"))
        }
    }

    // MARK: Requests

    /// RFC 6749 §2.3.1, §4.4.2, §6.
    private func draft(_ client: OAuthClient, _ form: [String: String]) async throws(Failure) -> RequestDraft {
        var (form, fields) = (form, Self.formFields)
        for (name, value) in client.parameters { form[name] = try await value.read() }
        form["scope"] = client.scope
        let id = try await client.id.read()
        switch (client.authentication, try await client.secret?.read()) {
        case (.basic, let secret?):
            let pair = "\(QueryEncoding.escape(id)):\(QueryEncoding.escape(secret))"
            fields[.authorization] = "Basic \(Data(pair.utf8).base64EncodedString())"
        case (.body, let secret?): form.merge(["client_id": id, "client_secret": secret]) { _, new in new }
        case (_, nil): form["client_id"] = id
        }
        return RequestDraft(
            route: RequestRoute(.post, client.tokenURL), headerFields: fields, body: .bytes(Self.encoded(form)))
    }

    private func draft(_ login: SessionLogin) async throws(Failure) -> RequestDraft {
        let url = try baseURL.appending(path: login.path)
        var fields = headerFields
        let body: [UInt8]
        switch login.encoding {
        case .json:
            fields[.contentType] = "application/json"
            body = try await login.body.json()
        case .form:
            fields[.contentType] = Self.formFields[.contentType]
            body = Self.encoded(try await login.body.fields())
        }
        return RequestDraft(route: RequestRoute(.post, url), headerFields: fields, body: .bytes(body))
    }

    private static let formFields: HTTPFields = [
        .contentType: "application/x-www-form-urlencoded", .accept: "application/json",
    ]

    private static func encoded(_ form: [String: String]) -> [UInt8] {
        Array(QueryEncoding().encode(form.mapValues(QueryValue.string)).utf8)
    }

    private func ask(_ draft: RequestDraft, _ context: ChainContext) async throws(Failure) -> LoadedResponse {
        // No retries: a refresh token may be valid for one use only.
        let chain = ChainAssembly(transport: transport, connectivity: environment.connectivity)
            .chain(
                from: RequestRouterNode<RequestDraft> { $0 }, to: ResponseDataLoaderNode(limit: Self.limit))
        do { return try await chain.process(draft, context) } catch { throw try await judged(error) }
    }

    /// Classifies a failed token request for the calls that wait for it, so that it never looks like a response to their own
    /// requests.
    private func judged(_ failure: Failure) async throws(Failure) -> Failure {
        switch failure.reason {
        case .contract, .tooLarge, .badContent, .redirectRefused:
            return Failure(.contract, phase: failure.phase, underlying: RefreshRefusal(failure.reason.name))
        case .http(var answer):
            var judged = failure
            var code = answer.errorCode
            // The response may repeat secrets of the request, so only the error code is kept, and only if it contains no
            // secret.
            for secret in signIn.secrets where !secret.isPlain {
                if let value = try? await secret.read(), let word = code, word.contains(value) { code = nil }
            }
            // Codes that mean "later", whatever their status (RFC 6749 §4.1.2.1).
            let isPassing = code.map { ["server_error", "slow_down", "temporarily_unavailable"].contains($0) } ?? false
            if isPassing, answer.status < 500 { answer.status = 503 }
            answer.body = code.map { Array(#"{"error":"\#($0)"}"#.utf8) } ?? []
            judged.reason = .http(answer)
            return judged
        default: return failure
        }
    }
}

extension TokenPlaces {
    /// The output of a program: JSON, or the token itself.
    fileprivate func printed(_ text: String, now: Double) throws(Failure) -> TokenGrant {
        if text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
            return try grant(Array(text.utf8), [:], now: now, of: "what it printed")
        }
        return TokenGrant(accessToken: text, lifetime: usualLifetime)
    }
}
