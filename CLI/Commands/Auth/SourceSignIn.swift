// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingInspection
import SidingChain
import SidingCredentials
import SidingJSON

/// How a source signs in: its secrets, its kept token and its gate, as `siding auth status` shows them.
struct SourceSignIn {
    /// A referenced secret; `problem` is why it cannot be read, nil if it can.
    struct Reference {
        var description: String
        var problem: String?
    }

    let source: Source
    private let references: [Reference]
    /// The kept token; nil for a source that keeps none.
    private let stored: KeptSignIns.State?
    /// Why the kept token cannot be read.
    private let fault: String?
    private let gate: SourceGate?

    init(_ source: Source, _ kept: KeptSignIns, gate: SourceGate?) async {
        (self.source, self.gate) = (source, gate)
        let authorization = source.authorization
        var references: [Reference] = []
        for secret in authorization.secrets + [authorization.signIn?.program].compactMap(\.self) where !secret.isPlain {
            references.append(Reference(description: secret.description, problem: await secret.absence()))
        }
        self.references = references
        var (stored, fault): (KeptSignIns.State?, String?) = (nil, nil)
        if authorization.signIn != nil {
            do throws(Failure) { stored = try kept.state(of: source.name) } catch { fault = error.detail }
        }
        (self.stored, self.fault) = (stored, fault)
    }

    /// The exit code: 77 if the source needs a sign-in, 78 if a secret or the token cannot be read.
    var status: ExitStatus {
        let isUnreadable = fault != nil || references.contains { $0.problem != nil }
        if isUnreadable { return .config }
        return gate == nil && stored?.refusal == nil ? .success : .signIn
    }

    // MARK: Output

    func cells(_ format: MessageFormat) -> [String] {
        [
            source.name, source.authorization.kind, token(format),
            stored?.hasToken == true ? stored?.expiresAt.map(format.time) ?? "" : "",
            references.map { $0.description + ($0.problem == nil ? "" : " (unreadable)") }.joined(separator: ", "),
        ]
    }

    private func token(_ format: MessageFormat) -> String {
        guard let stored else { return fault == nil ? "" : "unreadable" }
        guard stored.hasToken else { return "none yet" }
        return "generation \(stored.generation)" + (stored.savedAt.map { ", \(format.time($0))" } ?? "")
    }

    /// Problems that the user has to solve, one line each.
    func complaints(_ format: MessageFormat) -> [String] {
        var lines = references.compactMap { reference in
            reference.problem.map { "the secret \(reference.description) cannot be read: \($0)" }
        }
        if let fault { lines.append("\(fault); 'siding auth forget \(source.name)' removes it") }
        if let refusal = stored?.refusal {
            let when = stored?.refusedAt.map { " \(format.time($0))" } ?? ""
            lines.append("the last refresh was refused\(when): \(refusal)")
        }
        if let gate { lines.append("waits for a sign-in: \(gate.note)") }
        return lines
    }

    var object: JSONObject {
        [
            "source": source.name, "kind": source.authorization.kind, "secrets": references.map(Self.object),
            "token": stored.map(Self.object), "problem": fault, "waits_for_sign_in": gate != nil, "note": gate?.note,
        ]
    }

    private static func object(_ reference: Reference) -> JSONObject {
        ["from": reference.description, "readable": reference.problem == nil, "problem": reference.problem]
    }

    private static func object(_ stored: KeptSignIns.State) -> JSONObject {
        [
            "kept": stored.hasToken, "generation": Int(clamping: stored.generation), "saved_at": stored.savedAt,
            "expires_at": stored.expiresAt, "refusal": stored.refusal, "refused_at": stored.refusedAt,
        ]
    }
}
