// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingJSON

/// Prints a conflict between a write and the server's record, member by member.
struct ConflictTable {
    let report: ConflictReport

    /// - Parameter format: how it says the age of a stored copy, which may not be what the origin has by now.
    func print(_ terminal: Terminal, _ format: MessageFormat) {
        if let disagreement = report.disagreement { Output.line("conflict  \(PlainText.oneLine(disagreement))") }
        guard let difference = report.difference, !difference.rows.isEmpty else { return }
        var table = Table(["", "member", "base", "mine", theirs(format)])
        for row in difference.rows {
            table.add([
                row.isConflict ? "!" : "", row.path.description, Self.text(row.base), Self.text(row.mine),
                Self.text(row.theirs),
            ])
        }
        table.print(terminal)
    }

    private func theirs(_ format: MessageFormat) -> String {
        report.theirsStoredAt.map { "stored \(format.time($0))" } ?? "theirs"
    }

    private static func text(_ value: JSONDocument?) -> String {
        value.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "-"
    }
}
