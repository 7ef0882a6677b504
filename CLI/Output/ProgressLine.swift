// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingInspection
import SidingChain
import SidingSynchronization

/// A progress line on a terminal's standard error during a sync.
final class ProgressLine: Sendable {
    private let isShown: Bool
    private let width: Int
    private let start = ContinuousClock.now
    private let drawn = Mutex<ContinuousClock.Instant?>(nil)

    init(_ terminal: Terminal, isQuiet: Bool) {
        isShown = terminal.isError && !isQuiet
        width = terminal.width
    }

    /// Draws at most ten times a second.
    func show(_ progress: SyncProgress) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let isDue = drawn.withLock { drawn in
            if let drawn, now - drawn < .milliseconds(100) { return false }
            drawn = now
            return true
        }
        guard isDue else { return }
        let seconds = max(Double((now - start).wholeMicroseconds) / 1_000_000, 0.001)
        let counters = progress.counters
        let records = counters.inserted + counters.updated + counters.unchanged
        let line =
            "\(progress.resource): page \(progress.page), \(MessageFormat.count(records, "record")), "
            + "\(MessageFormat.grouped(Int(Double(records) / seconds)))/s, \(MessageFormat.size(counters.bytes)), "
            + MessageFormat.duration(now - start)
        Output.draw("\r\u{1B}[2K" + DisplayWidth.cut(line, to: width - 1))
    }

    /// Erases the line.
    func clear() {
        guard isShown, drawn.withLock({ $0 != nil }) else { return }
        Output.draw("\r\u{1B}[2K")
    }
}
