// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The credentials of `siding init`, by the names of environment variables: a secret is neither on the command line nor in the config.
struct CredentialOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The environment variable with the token for 'Authorization: Bearer'.", valueName: "variable"))
    var bearerEnv: String?

    @Option(
        help: ArgumentHelp(
            "The environment variables with the user name and the password, as USER:PASSWORD; without the colon the password is "
                + "empty.",
            valueName: "variables"))
    var basicEnv: String?

    @Option(
        help: ArgumentHelp(
            "A header field with a secret, as 'X-API-Key: env:VARIABLE' or 'Authorization: Token env:VARIABLE'.",
            valueName: "field"))
    var header: String?

    @Option(
        help: ArgumentHelp(
            "The client of an OAuth 2 token endpoint, as ID:SECRET@TOKEN_URL; ID and SECRET are environment variables.",
            valueName: "client"))
    var oauthEnv: String?

    private var given: [String] { [bearerEnv, basicEnv, header, oauthEnv].compactMap(\.self) }
    var isGiven: Bool { !given.isEmpty }

    /// The lines of `auth:` in a source; none without credentials.
    ///
    /// - Throws: ``CommandError`` with code 64. It does not quote the arguments, as one may be the secret itself.
    func lines() throws -> [String] {
        guard given.count < 2 else {
            throw CommandError.usage("--bearer-env, --basic-env, --header and --oauth-env exclude each other")
        }
        if let bearerEnv {
            return [Self.bearer(try Self.variable(bearerEnv, of: "--bearer-env", Self.advice))]
        }
        if let basicEnv { return [try Self.basic(basicEnv)] }
        if let oauthEnv { return [try Self.client(oauthEnv)] }
        return try header.map { [try Self.field($0)] } ?? []
    }

    static func bearer(_ variable: String) -> String { "auth: { type: bearer, token: { env: \(variable) } }" }

    /// - Parameter password: nil for an empty one.
    static func basic(user: String, password: String?) -> String {
        "auth: { type: basic, user: { env: \(user) }\(password.map { ", password: { env: \($0) }" } ?? "") }"
    }

    /// - Parameter prefix: a word before the secret; nil for none.
    static func field(_ name: String, prefix: String?, _ variable: String) -> String {
        let prefix = prefix.map { ", prefix: \(YAMLText.scalar($0))" } ?? ""
        return "auth: { type: api_key, in: header, name: \(YAMLText.scalar(name))\(prefix), key: { env: \(variable) } }"
    }

    private static let advice = "put the secret into a variable such as TRACKER_TOKEN, and give that name"

    private static func basic(_ text: String) throws -> String {
        let names = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let variables = try names.map {
            try variable(
                $0, of: "--basic-env",
                "put user name and password into variables, and give their names, such as TRACKER_USER:TRACKER_PASSWORD"
            )
        }
        return basic(user: variables[0], password: variables.count > 1 ? variables[1] : nil)
    }

    private static func field(_ text: String) throws -> String {
        let form = /([A-Za-z0-9!#$%&'*+.^_`|~-]+):\s*(?:([A-Za-z0-9._~+\/=-]+)\s+)?env:([A-Za-z_][A-Za-z0-9_]*)/
        guard let match = text.wholeMatch(of: form) else {
            throw CommandError.usage(
                "--header takes a header field with the name of an environment variable, and not the secret itself",
                hint:
                    "such as --header 'X-API-Key: env:TRACKER_KEY'; header fields without a secret belong into 'headers' of the "
                    + "source")
        }
        return field(String(match.1), prefix: match.2.map { String($0) }, String(match.3))
    }

    private static func client(_ text: String) throws -> String {
        let form = /([A-Za-z_][A-Za-z0-9_]*):([A-Za-z_][A-Za-z0-9_]*)@(https?:\/\/[^\s@"\\]+)/
        guard let match = text.wholeMatch(of: form) else {
            throw CommandError.usage(
                "--oauth-env takes the names of two environment variables and the URL of the token endpoint",
                hint: "such as --oauth-env TRACKER_ID:TRACKER_SECRET@https://id.example.com/oauth/token")
        }
        return "auth: { type: oauth2_client, token_url: \"\(match.3)\", client_id: { env: \(match.1) }, "
            + "client_secret: { env: \(match.2) } }"
    }

    private static func variable(_ name: String, of option: String, _ advice: String) throws -> String {
        if name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil { return name }
        throw CommandError.usage("\(option) takes the name of an environment variable", hint: advice)
    }
}
