// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingInspection

/// Prints the result of an operator action on entries, or of its dry run.
struct ActionReport {
    let decision: OperatorAction
    let options: GlobalOptions
    let isRehearsal: Bool

    /// Whether each entry gets a line of its own; purged entries are only counted.
    private var tellsEach: Bool { decision != .purge }

    func tell(_ change: QueueChange) {
        guard tellsEach || change.refusal != nil else { return }
        if options.json { return Output.line(Shapes.change(change, by: decision, isRehearsal: isRehearsal)) }
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
