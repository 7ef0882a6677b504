// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// How many records each of the last syncs of a resource changed, over time: a small drawing for a cell of a table.
///
/// The line has a gap where a sync failed, with a mark in it, so that trouble does not show by colour alone. The runs
/// of the resource, to which it leads, are the alternative in text.
struct RunChart: Sendable {
    /// A sync, as a place over which the pointer tells it.
    struct Point: Sendable {
        let x: Int
        let label: String
        /// The mark of a sync that failed.
        let mark: String?
    }

    let href: String
    /// What it shows, in a sentence.
    let summary: String
    /// The parts of the line, as paths.
    let lines: [String]
    let points: [Point]
    /// The ends of the axes.
    let most: String
    let since: String

    /// How many syncs are shown.
    static let mostSyncs = 40
    /// The drawing is 180 wide and 44 high; the axis of time is at 32, and the line begins below the largest number.
    private static let (left, right, top, bottom) = (4, 176, 10, 30)

    /// - Parameter syncs: newest first. Nil if there are none.
    init?(of resource: String, _ syncs: [PastSync], _ format: MessageFormat) {
        guard let oldest = syncs.last else { return nil }
        let syncs = Array(syncs.reversed())
        let span = max((format.now - oldest.startedAt).wholeMicroseconds, 1)
        let largest = syncs.map(\.result.counters.changed).max() ?? 0
        var (points, lines, line): ([Point], [String], [(x: Int, y: Int)]) = ([], [], [])
        func endLine() {
            lines += Self.path(line)
            line = []
        }
        var failed = 0
        for sync in syncs {
            let age = min(max((sync.startedAt - oldest.startedAt).wholeMicroseconds, 0), span)
            let x = Self.left + Int((Double(age) / Double(span) * Double(Self.right - Self.left)).rounded())
            let changed = sync.result.counters.changed
            let badge = Badge(sync.result.outcome, isOver: sync.hasEnded)
            let isTrouble = [Badge.Kind.bad, .waiting].contains { $0.rawValue == badge.kind }
            let share = largest > 0 ? Double(changed) / Double(largest) : 0
            if isTrouble {
                failed += 1
                endLine()
            } else {
                line.append((x, Self.bottom - Int((share * Double(Self.bottom - Self.top)).rounded())))
            }
            points.append(
                Point(
                    x: x - 2,
                    label: "Run \(sync.run), \(format.time(sync.startedAt)), \(badge.text): "
                        + MessageFormat.count(changed, "record") + " changed",
                    mark: isTrouble ? "M\(x - 3) 16l6 8m0 -8l-6 8" : nil))
        }
        endLine()
        (self.points, self.lines) = (points, lines)
        href = PageLink.path("runs", query: [("resource", resource)])
        most = MessageFormat.grouped(largest)
        since = format.time(oldest.startedAt)
        summary =
            "\(MessageFormat.count(syncs.count, "sync")) of \(resource) since \(since): at most "
            + "\(MessageFormat.count(largest, "record")) changed; "
            + (failed == 0 ? "none failed." : "\(failed) failed, where the line has a gap.")
    }

    /// One point alone is a short line.
    private static func path(_ line: [(x: Int, y: Int)]) -> [String] {
        guard let first = line.first else { return [] }
        let rest = line.count == 1 ? [(x: first.x + 2, y: first.y)] : Array(line.dropFirst())
        return ["M\(first.x) \(first.y)" + rest.map { "L\($0.x) \($0.y)" }.joined()]
    }
}
