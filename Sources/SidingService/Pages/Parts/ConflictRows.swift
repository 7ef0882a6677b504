// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// The two sides of a conflict, member by member.
struct ConflictRows: Sendable {
    struct Row: Sendable {
        let isConflict: Bool
        let member: String
        let base: String
        let mine: String
        let theirs: String
    }

    let disagreement: String?
    /// The heading of the origin's side: whose copy it is.
    let side: String
    let rows: [Row]

    /// Rows that fit on a screen.
    private static let most = 200

    /// Nil if the sides do not differ.
    init?(_ report: ConflictReport, _ format: MessageFormat) {
        disagreement = report.disagreement
        side = report.theirsStoredAt.map { "Stored \(format.time($0))" } ?? "Theirs"
        rows = (report.difference?.rows ?? []).prefix(Self.most).map { row in
            Row(
                isConflict: row.isConflict, member: row.path.description, base: Self.text(row.base),
                mine: Self.text(row.mine), theirs: Self.text(row.theirs))
        }
        if rows.isEmpty, disagreement == nil { return nil }
    }

    static func text(_ value: JSONDocument?) -> String {
        guard let value else { return "–" }
        let json = ReadableJSON.bytes(Array(value.bytes.prefix(4_000)))
        return PlainText.oneLine(OneLineJSON.text(json), limit: 1_000)
    }
}
