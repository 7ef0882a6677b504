// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
internal import SidingJSON

extension RecordedError {
    init(_ failure: Failure) {
        var status: Int?
        if case .http(let answer) = failure.reason { status = answer.status }
        self.init(
            name: failure.reason.name, message: failure.description, hint: failure.hint, status: status,
            phase: failure.phase.rawValue)
    }

    /// The error of a write, with the origin's message.
    init(ofWrite failure: Failure) {
        self.init(failure.detail == nil ? failure.quotingOrigin() : failure)
    }

    /// Whether no byte of the request can have reached the origin.
    var isUnsent: Bool { phase == Failure.Phase.notSent.rawValue }
}

extension Failure {
    /// The same failure with the sentence of the origin's answer, if it has one, behind what is known of the failure.
    ///
    /// - Parameter hiding: removes credentials that the origin repeats; nil where that is not possible.
    package func quotingOrigin(hiding: (String) -> String? = { $0 }) -> Failure {
        guard phase == .answered, case .http(let answer) = reason, let text = answer.errorText(hiding: hiding) else {
            return self
        }
        var quoting = self
        quoting.detail = [detail, text].compactMap { $0?.nonEmpty }.joined(separator: ": ")
        return quoting
    }

    /// Whether the source needs a new sign-in: the origin refused the credential, or a rule of `errors:` treats the answer as a
    /// refusal (``FailureRule/Action/refreshToken``).
    package var asksForSignIn: Bool {
        if underlying is CredentialRefusal { return true }
        if (underlying as? RuledFailure)?.rule.action == .refreshToken { return true }
        if case .http(let answer) = reason { return answer.statusClass == .unauthorized }
        return false
    }

    /// What the user can do about it; nil if there is no advice.
    var hint: String? {
        if underlying is RefreshRefusal {
            return
                "'siding auth status' shows where its secrets are read: correct them. 'siding auth forget SOURCE' "
                + "removes the stored token, so that the next sync signs in with the config's secrets"
        }
        if underlying is BudgetSpent {
            return
                "the request waits until the limit allows it, also with 'siding queue retry'; 'limits' of the source "
                + "sets the maximum"
        }
        if underlying is ClosedGate { return "'siding sync --now' asks at once" }
        if case .http(let answer) = reason, let scheme = answer.unknownScheme {
            return "the origin asks for '\(scheme)' credentials, which Siding does not support: use a proxy that does"
        }
        // A rule may treat any status as a refused credential.
        if asksForSignIn { return "check the credentials of the source (`auth:`); the next 'siding sync' tries again" }
        return switch reason {
        case .noInternetConnection: "the next 'siding sync' or 'siding queue run' continues here"
        case .waitingForOrigin where underlying is TrafficSpent: "the next 'siding sync' continues here"
        case .captivePortal:
            "open a browser on this network and sign in; if no login page appears there, look at the URL with curl"
        case .waitingForOrigin:
            "the request is sent after the wait; 'siding queue retry' sends it now, if the source's limits allow it"
        case .hostNotFound: "check base_url for a misspelt name"
        case .tlsUntrusted: "check the machine's clock and its CA certificates; Siding never skips this check"
        case .credentialUnavailable:
            "'siding check' shows its place in the config: set it there, or correct its permissions"
        case .contract:
            (underlying as? PageFault)?.hint ?? (underlying as? ForeignNextPage)?.hint
                ?? "look at the answer with curl; if the API changed, change 'records', 'key' or 'paginate'"
        case .redirectRefused where underlying is UnlistedOrigin:
            "check base_url; if another origin may answer for this one, list it in http.redirect_to of the source"
        case .redirectRefused:
            "'curl -IL' with this URL shows each redirect; write the last URL that answers into 'base_url' or 'path'. A "
                + "redirect to a sign-in page needs 'auth'"
        case .tooLarge: "raise http.max_body of the source, or ask for smaller pages"
        case .http where underlying is PartlyDoneBatch:
            "send the entries that failed by a write of their own, then end this one: 'siding queue resolve ID --arrived'"
        case .http(let answer) where (200..<300).contains(answer.status) && underlying == nil:
            "if the origin acts in spite of such an answer, declare errors: [{ when: { status: \(answer.status), body: … }, "
                + "do: ignore, on: write }]"
        case .http(let answer): answer.hint
        default: nil
        }
    }
}

extension PageFault {
    /// The setting that would accept such a page; nil if none would.
    fileprivate var hint: String? {
        switch self {
        case .tooManyValues:
            "ask for smaller pages, or raise http.max_body of the source: a page may have a value per 16 bytes of it"
        case .tooManyRecords:
            "ask for smaller pages, or raise http.max_body of the source: a page may have a record per 128 bytes of it"
        case .noRecords:
            "'records' is the path of an array ($.items), of one record ($.item), or of an object whose members are the "
                + "records ($.items.*, with key: $key); records: lines reads one record per line"
        case .syntax(let error) where error.problem == .expectedEnd:
            "if each line is a record (NDJSON), declare records: lines"
        default: nil
        }
    }
}

extension HTTPFailure {
    /// The first scheme that the origin asks for, if it asks for none that Siding speaks (RFC 9110 §11.6.1).
    fileprivate var unknownScheme: String? {
        guard status == 401, let asked = headerFields[.wwwAuthenticate], !asked.isEmpty else { return nil }
        let isKnown = ["basic", "bearer", "token", "apikey"].contains { asked.lowercased().contains($0) }
        return isKnown ? nil : String(asked.prefix { $0.isLetter || $0.isNumber || $0 == "-" })
    }

    fileprivate var hint: String? {
        switch statusClass {
        case _ where asksToWait: "the origin asks to wait; the request is sent again after that"
        case .refused where speaksOfLimit:
            "it is tried a few times more; where a \(status) always means a limit, declare "
                + "errors: [{ when: { status: \(status) }, do: rate_limited }]"
        case .refused where status == 403:
            "the origin does not allow this request: check `auth:` of the source, and the rights of its account"
        case .gone: "check 'path' and 'base_url'; nothing stored was removed"
        default: nil
        }
    }
}

/// Marks the failure of a batch that the origin has carried out in part.
struct PartlyDoneBatch: Error {}
