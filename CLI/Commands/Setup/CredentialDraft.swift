// SPDX-License-Identifier: Apache-2.0
/// The `auth:` of a config whose origin refused a request without credentials: what it asks for, to be filled in.
struct CredentialDraft {
    /// The lines of the source; comments where the origin does not say what it takes.
    let lines: [String]
    /// The environment variables that the lines name; none if they are comments.
    let variables: [String]
    /// The options of `siding init` for the same.
    let options: String
    /// Whether the origin mentions OAuth 2, so that the token may be one that a client gets.
    private(set) var isOAuth = false

    /// - Parameters:
    ///   - challenges: of the answer.
    ///   - source: the name of the source, which begins the names of variables.
    init(_ challenges: [CredentialChallenge], source: String) {
        let stem = source.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
        let (token, user, password) = ("\(stem)_TOKEN", "\(stem)_USER", "\(stem)_PASSWORD")
        if let bearer = challenges.first(where: { ["bearer", "oauth"].contains($0.scheme) }) {
            lines = [CredentialOptions.bearer(token)] + (bearer.isOAuth ? Self.oauth(stem) : [])
            (variables, options, isOAuth) = ([token], "--bearer-env \(token)", bearer.isOAuth)
        } else if challenges.contains(where: { $0.scheme == "basic" }) {
            lines = [CredentialOptions.basic(user: user, password: password)]
            (variables, options) = ([user, password], "--basic-env \(user):\(password)")
        } else if let other = challenges.first(where: \.takesToken) {
            lines = [CredentialOptions.field("Authorization", prefix: other.name, token)]
            (variables, options) = ([token], "--header 'Authorization: \(other.name) env:\(token)'")
        } else {
            let reason =
                challenges.first.map {
                    "# The origin asks for '\($0.name)', which Siding does not support. It may also take one of:"
                }
                ?? "# The origin does not say which credentials it takes. One of:"
            let forms = [
                CredentialOptions.bearer(token), CredentialOptions.basic(user: user, password: password),
                CredentialOptions.field("X-API-Key", prefix: nil, "\(stem)_KEY"),
            ]
            lines = [reason] + forms.map { "# \($0)" }
            (variables, options) = ([], "")
        }
    }

    private static func oauth(_ stem: String) -> [String] {
        [
            "# or, as the origin mentions OAuth 2, a token that Siding gets and renews ('siding init' has --oauth-env for it):",
            "# auth: { type: oauth2_client, token_url: \"https://…\", client_id: …, client_secret: { env: \(stem)_SECRET } }",
        ]
    }

    /// What to do with the options, where the origin does not say what it takes.
    static let choice =
        "--bearer-env VARIABLE, --basic-env USER:PASSWORD, --header 'NAME: env:VARIABLE' or --oauth-env ID:SECRET@TOKEN_URL, with "
        + "the names of environment variables"
}
