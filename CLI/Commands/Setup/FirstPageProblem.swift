// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingJSON
import SidingPaging

/// Why `siding init` saw no first page, and what the user can do next.
struct FirstPageProblem: Error {
    let failure: Failure
    let url: HTTPURL
    let source: Source
    /// The answer that shows no records; nil where there was none, or a refusal.
    let answer: LoadedResponse?

    /// What the origin asks for; empty if it does not say. Nil where it asks for nothing, or refused credentials.
    var challenges: [CredentialChallenge]? {
        guard !hasCredentials, case .http(let answer) = failure.reason else { return nil }
        let field = answer.headerFields[.wwwAuthenticate] ?? ""
        return answer.status == 401 || (answer.status == 403 && !field.isEmpty)
            ? CredentialChallenge.all(in: field) : nil
    }

    private var hasCredentials: Bool {
        if case .none = source.authorization { false } else { true }
    }

    /// The error of the command.
    var error: CommandError {
        var error = CommandError(said.at(method: "GET", url: Redaction.url(url)))
        if challenges != nil { error.status = .signIn }
        switch failure.retention(of: .fetch) {
        // What a sync would keep in its queue. Here the next try is a new command.
        case .keep:
            let advice = failure.reason == .hostNotFound ? "check the name of the host, or try" : otherScheme ?? "try"
            (error.status, error.hint) = (.queued, "nothing was written; \(advice) again later")
        case .signIn where failure.reason == .proxyAuthentication:
            error.hint = "nothing was written; give the proxy's user and password in https_proxy or http_proxy"
        case .signIn: error.hint = refusedCredentials
        case .park, .fail, .release: error.hint = advice
        }
        return error
    }

    /// The failure with the words of the origin, unless they may repeat a secret.
    private var said: Failure {
        guard !hasCredentials else { return failure }
        let shown = "\(Redaction.url(url))"
        let values = url.queryParameters.filter { !shown.contains($0.value ?? "") }.compactMap(\.decodedValue)
        return failure.quotingOrigin { text in values.contains(where: text.contains) ? nil : text }
    }

    private var refusedCredentials: String {
        "nothing was written. The origin refused the credentials of source '\(source.name)': check the secret, or ask with "
            + "\(CredentialDraft.choice)"
    }

    private var advice: String? {
        switch failure.reason {
        case .credentialUnavailable: "nothing was written; set the variable, and run the same command again"
        case .http(let answer) where answer.status == 403:
            hasCredentials ? refusedCredentials : "if it takes credentials, ask with \(CredentialDraft.choice)"
        case .http(let answer) where answer.status == 400 && url.scheme == "http":
            "if that port speaks TLS, try \(shown(scheme: "https"))"
        case .contract: answer.flatMap(adviceOnContent)
        default: nil
        }
    }

    // MARK: The wrong scheme

    /// What to try where the port may speak the other scheme; nil if nothing points to it.
    private var otherScheme: String? {
        guard !url.isUnixSocket else { return nil }
        let isEnded = failure.reason == .connectionLost && failure.phase == .notSent
        let isOfTLS = isEnded || failure.reason == .tlsHandshake || failure.reason == .timeout(.tlsHandshake)
        // Other failures of TLS have a detail, such as a client certificate that is missing.
        if url.scheme == "https" {
            return isOfTLS && failure.detail == nil
                ? "if that port speaks plain HTTP, try \(shown(scheme: "http")); else try" : nil
        }
        return failure.reason == .connectionLost || failure.reason == .protocolViolation
            ? "if that port speaks TLS, try \(shown(scheme: "https")); else try" : nil
    }

    private func shown(scheme: String) -> String { scheme + Redaction.url(url).drop { $0 != ":" } }

    // MARK: An answer without records

    private func adviceOnContent(_ answer: LoadedResponse) -> String? {
        let bytes = answer.bytes ?? []
        let type = answer.response.headerFields[.contentType]?.lowercased() ?? ""
        let start = String(decoding: bytes.prefix(200), as: UTF8.self).drop(while: \.isWhitespace).lowercased()
        if type.contains("html") || start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
            return
                "a web page answered: give the URL of the API, which often has /api in it or is on another host. If this network "
                + "has a login page, open it in a browser first"
        }
        if type.contains("xml") || start.hasPrefix("<?xml") {
            return "Siding reads JSON: if the origin has it too, give the URL of that, often with 'format=json'"
        }
        return (try? JSONDocument(bytes)).flatMap(adviceOnJSON)
    }

    private func adviceOnJSON(_ document: JSONDocument) -> String? {
        let empty = "the list is empty, so it shows no key: try again when it has a record"
        if document.elements?.isEmpty ?? false { return empty }
        guard let members = document.members, !members.isEmpty else { return nil }
        let isError = members.contains { ["error", "errors", "message", "detail"].contains($0.name.lowercased()) }
        guard !isError, RecordsLocation.path(in: document, of: url) == nil else { return nil }
        let isRecord = members.contains { $0.name.lowercased().hasSuffix("id") && $0.value.elements == nil }
        if !isRecord, members.contains(where: { $0.value.elements?.isEmpty ?? false }) { return empty }
        let parts = url.path.split(separator: "/")
        let list = parts.count < 2 ? nil : "\(url.origin)/\(parts.dropLast().joined(separator: "/"))"
        return
            "this looks like one record: give the URL of the list that it is in\(list.map { ", such as \($0)" } ?? "")"
    }
}
