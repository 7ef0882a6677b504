import Siding

/// Prints the result of an operator action on entries, or of its dry run.
struct ActionReport {
    private let decision: OperatorAction
    private let options: GlobalOptions
    private let isRehearsal: Bool

    init(_ decision: OperatorAction, _ options: GlobalOptions, isRehearsal: Bool) {
        (self.decision, self.options, self.isRehearsal) = (decision, options, isRehearsal)
    }

    /// Whether each entry gets a line of its own; purged entries are only counted.
    private var tellsEach: Bool { decision != .purge }

    func tell(_ change: QueueChange) {
        guard tellsEach || change.refusal != nil else { return }
        if options.json { return tellObject(change) }
        let entry = change.before
        if let refusal = change.refusal {
            Output.printMessage("\(entry.shortID): \(decision.denial): \(refusal)")
            if let hint = change.hint { options.printMessage("    \(hint)") }
        } else if isRehearsal {
            let request = change.request.map { ": \($0.text)" } ?? ""
            options.printMessage("\(entry.shortID): would be \(decision.participle)\(request)")
        } else {
            if case .replace = decision { Output.line(change.entry.id) }
            options.printMessage("\(entry.shortID): \(decision.outcome(change))")
        }
    }

    private func tellObject(_ change: QueueChange) {
        let isDone = change.refusal == nil && !isRehearsal
        var object = Shapes.entry(isDone ? change.entry : change.before)
        let isReplaced = isDone && change.entry.id != change.before.id
        object.add([
            "action": decision.name, "done": isDone, "refusal": change.refusal, "hint": change.hint,
            "replaces": isReplaced ? change.before.id : nil, "request": change.request?.object,
        ])
        Output.line(object.text)
    }

    /// Prints the total, for actions that do not print each entry.
    func tellSum(_ count: Int) {
        guard !tellsEach else { return }
        if options.json {
            Output.line(["entries": count, "done": !isRehearsal && count > 0])
        } else {
            let entries = MessageFormat.count(count, "entry", plural: "entries")
            options.printMessage("\(entries) \(isRehearsal ? "would be " : "")\(decision.participle)")
        }
    }
}

extension OperatorAction {
    /// The command's name.
    fileprivate var name: String {
        switch self {
        case .act(let action): action.rawValue
        case .replace: "edit"
        case .resolve: "resolve"
        case .purge: "purge"
        }
    }

    fileprivate var denial: String {
        if case .resolve = self { "not resolved" } else { "not \(participle)" }
    }

    /// Completes the sentence `would be …`.
    fileprivate var participle: String {
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

    fileprivate func outcome(_ change: QueueChange) -> String {
        switch self {
        case .replace, .resolve(.merge): "\(participle) by \(change.entry.shortID)"
        case .act, .resolve, .purge: participle
        }
    }
}

extension RequestPreview {
    fileprivate var text: String {
        let headers = headerNames.isEmpty ? "no header fields" : headerNames.joined(separator: ", ")
        return "\(method) \(url), \(headers), \(bodyBytes.map { "a body of \(MessageFormat.size($0))" } ?? "no body")"
    }

    fileprivate var object: JSONObject {
        ["method": method, "url": url, "headers": headerNames, "body_bytes": bodyBytes]
    }
}
