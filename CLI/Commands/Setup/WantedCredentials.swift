// SPDX-License-Identifier: Apache-2.0
import SidingChain

/// The credentials that an origin asks `siding init` for: the config to fill in, and the command that completes it.
struct WantedCredentials: CustomStringConvertible {
    private let draft: CredentialDraft
    private let url: HTTPURL
    /// Which commands need behind them to find the file.
    private let arguments: String

    init(_ challenges: [CredentialChallenge], url: HTTPURL, source: String, arguments: String) {
        draft = CredentialDraft(challenges, source: source)
        (self.url, self.arguments) = (url, arguments)
    }

    /// What the config has.
    var description: String {
        draft.variables.isEmpty
            ? "the URL, and forms of 'auth:' as comments" : "the URL, and the 'auth:' that the origin asks for"
    }

    /// The next step, as a message.
    ///
    /// - Parameter mode: `--force` or `--add`.
    func next(_ mode: String) -> String {
        guard !draft.variables.isEmpty else { return "Next: \(command(mode)) with \(CredentialDraft.choice)" }
        let other =
            draft.isOAuth
            ? " (for an OAuth 2 client: --oauth-env ID:SECRET@TOKEN_URL in place of \(draft.options))" : ""
        return "Set \(variables), then run: \(command(mode))\(other)"
    }

    /// The text of a config without what only a page shows.
    func text(_ config: ConfigDraft) -> String {
        var config = config
        config.credentials = draft.lines
        let isNamed = !draft.variables.isEmpty
        let head =
            [
                "The origin asked for credentials, so no page has been seen: 'key' is a guess, and 'records' and 'paginate' are missing.",
                (isNamed
                    ? "Set \(variables), then read the page:" : "Read the page with one of \(CredentialDraft.choice):"),
                "", "  \(command("--force"))",
            ]
        return config.text(nil, head: head)
    }

    private var variables: String { draft.variables.joined(separator: " and ") }

    private func command(_ mode: String) -> String {
        let options = draft.options.isEmpty ? "" : " \(draft.options)"
        return "siding init \(mode)\(options)\(arguments) \(ShellText.word(Redaction.url(url)))"
    }
}
