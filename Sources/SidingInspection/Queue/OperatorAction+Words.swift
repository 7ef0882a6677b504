// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

/// Operator actions and their results, in words and as `--json` objects.
extension OperatorAction {
    /// The command's name.
    package var name: String {
        switch self {
        case .act(let action): action.rawValue
        case .replace: "edit"
        case .resolve: "resolve"
        case .purge: "purge"
        }
    }

    package var denial: String {
        if case .resolve = self { "not resolved" } else { "not \(participle)" }
    }

    /// Completes the sentence `would be …`.
    package var participle: String {
        switch self {
        case .act(.retry): "made due"
        case .act(.hold): "held"
        case .act(.release): "released"
        case .act(.drop): "dropped"
        case .replace: "replaced"
        case .resolve(.mine): "queued again"
        case .resolve(.theirs): "dropped"
        case .resolve(.merge): "replaced"
        case .resolve(.arrived): "completed as delivered"
        case .purge: "forgotten"
        }
    }

    package func outcome(_ change: QueueChange) -> String {
        switch self {
        case .replace, .resolve(.merge): "\(participle) by \(change.entry.shortID)"
        case .act, .resolve, .purge: participle
        }
    }
}

extension Shapes {
    package static func change(_ change: QueueChange, by decision: OperatorAction, isRehearsal: Bool) -> JSONObject {
        let isDone = change.refusal == nil && !isRehearsal
        var object = entry(isDone ? change.entry : change.before)
        let isReplaced = isDone && change.entry.id != change.before.id
        object.add([
            "action": decision.name, "done": isDone, "refusal": change.refusal, "hint": change.hint,
            "replaces": isReplaced ? change.before.id : nil, "request": change.request?.object,
        ])
        return object
    }
}

extension RequestPreview {
    package var text: String {
        let headers = headerNames.isEmpty ? "no header fields" : headerNames.joined(separator: ", ")
        return "\(method) \(url), \(headers), \(bodyBytes.map { "a body of \(MessageFormat.size($0))" } ?? "no body")"
    }

    package var object: JSONObject {
        ["method": method, "url": url, "headers": headerNames, "body_bytes": bodyBytes]
    }
}
