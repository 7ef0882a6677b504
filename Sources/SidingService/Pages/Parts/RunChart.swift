internal import Siding
internal import SidingChain
internal import SidingInspection

/// A number of each of the last runs as bars, oldest first.
///
/// Trouble shows by colour and by a mark above the bar. The table of the same runs is the alternative in text.
struct RunChart: Sendable {
    struct Bar: Sendable {
        let x: Int
        let y: Int
        let height: Int
        /// The kind of its badge.
        let kind: String
        /// The corners of the mark of a run that was in trouble.
        let mark: String?
        let label: String
    }

    let id: String
    let title: String
    let summary: String
    let bars: [Bar]

    /// How many runs fit: the drawing is 600 wide.
    static let most = 60
    private static let step = 10
    /// Without the space for marks above the bars, which is ``top``.
    private static let height = 80
    private static let top = 12

    /// - Parameter runs: newest first, at most ``most``.
    private init(id: String, title: String, of runs: [Run], _ value: (Run) -> (size: Double, text: String)) {
        let values = runs.reversed().map { (run: $0, value: value($0)) }
        let largest = values.map(\.value.size).max() ?? 0
        bars = values.enumerated().map { index, item in
            let share = largest > 0 ? item.value.size / largest : 0
            let height = max(Int((share * Double(Self.height)).rounded()), 1)
            let badge = Badge(item.run.outcome, isOver: item.run.endedAt != nil)
            let (x, y) = ((Self.most - values.count + index) * Self.step, Self.top + Self.height - height)
            let isTrouble = [Badge.Kind.bad, .waiting].contains { $0.rawValue == badge.kind }
            return Bar(
                x: x, y: y, height: height, kind: badge.kind,
                mark: isTrouble ? "\(x),\(y - 3) \(x + 4),\(y - 10) \(x + 8),\(y - 3)" : nil,
                label: "Run \(item.run.id), \(badge.text): \(item.value.text)")
        }
        (self.id, self.title) = (id, title)
        let peak = values.max { $0.value.size < $1.value.size }
        let troubled = bars.count { $0.mark != nil }
        summary =
            "\(MessageFormat.count(runs.count, "run")), oldest first; the highest bar is "
            + "\(peak?.value.text ?? "empty"). "
            + (troubled == 0 ? "None was in trouble." : "\(troubled) with a mark were in trouble.")
    }

    static func durations(_ runs: [Run]) -> RunChart {
        RunChart(id: "durations", title: "How long each run took", of: runs) { run in
            let duration = run.endedAt.map { $0 - run.startedAt } ?? .zero
            return (Double(duration.wholeMicroseconds), MessageFormat.duration(duration))
        }
    }

    static func changes(_ runs: [Run]) -> RunChart {
        RunChart(id: "changes", title: "How many records each run changed", of: runs) { run in
            let changed = run.counters.changed
            return (Double(changed), MessageFormat.count(changed, "record"))
        }
    }
}
