// SPDX-License-Identifier: Apache-2.0
package import Siding
internal import SidingChain
internal import SidingJSON

/// The lines of `siding status` below its table.
extension Overview {
    /// `3 queued, 1 parked`, `1 whose sender died`, or `empty`
    package var queueLine: String {
        var waiting = QueueEntry.State.allCases.filter { !$0.isCompleted }.compactMap { state in
            let count = count(state) - (state == .sending ? left : 0)
            return count <= 0 ? nil : "\(count) \(state.rawValue)"
        }
        if left > 0 { waiting.append("\(left) whose sender died") }
        return waiting.isEmpty ? "empty" : waiting.joined(separator: ", ")
    }

    /// A line for each closed gate, `source tracker: waits, for another 42 s: the origin answered 503 Service Unavailable`; without
    /// the note where the state of a resource says the same.
    package var gateLines: [String] {
        let said = resources.compactMap {
            $0.isRunning || $0.state?.incomplete != nil ? nil : $0.failure?.error.message
        }
        return gates.map { gate in
            line(gate, isNoted: !said.contains { $0.contains(gate.note) || gate.note.contains($0) })
        }
    }

    private func line(_ gate: SourceGate, isNoted: Bool) -> String {
        let until =
            gate.until.map {
                $0 > now ? ", for another \(MessageFormat.duration($0 - now))" : ", until the next try"
            } ?? ""
        let note = isNoted ? ": \(PlainText.oneLine(gate.note))" : ""
        return "source \(gate.source): \(gate.word)\(until)\(note)"
    }

    package var networkLine: String {
        let carried = bytesLastDay == 0 ? "" : ", syncs carried \(MessageFormat.size(bytesLastDay)) in the last 24 h"
        return "\(hasRoute ? "a route exists" : "no route exists")\(carried)"
    }

    package var databaseLine: String {
        "\(database.path), \(MessageFormat.size(database.bytes)), schema \(database.schemaVersion)"
            + (sizes.map { ": \($0.line())" } ?? "")
            + (database.fullDisk.map { "; \($0)" } ?? "")
    }
}

extension DatabaseDescription {
    /// `the disk is full, with 0 B left`; nil if it is not.
    package var fullDisk: String? {
        bytesLeftOnDisk.map { "the disk is full, with \(MessageFormat.size($0)) left" }
    }
}

extension SourceGate {
    /// Why it is closed, in a word for people: `waits`, `gate closed`, `offline`.
    package var word: String {
        switch reason {
        // An origin may ask for a wait without a `Retry-After`.
        case .retryAfter: "waits"
        case .breaker: "gate closed"
        default: reason.rawValue
        }
    }
}
