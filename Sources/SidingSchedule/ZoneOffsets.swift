// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import SidingJSON

/// How far the clocks of a time zone are ahead of UTC, and when that changes. Moments are seconds since 1970 UTC.
struct ZoneOffsets: Sendable {
    private let zone: TimeZone

    /// - Parameter identifier: such as `Europe/Berlin`; nil for the machine's zone (`TZ`, else `/etc/localtime`).
    init(_ identifier: String?) throws(ScheduleError) {
        guard let identifier else {
            zone = .current
            return
        }
        guard let zone = TimeZone(identifier: identifier) else {
            throw ScheduleError(
                "there is no time zone '\(PlainText.oneLine(identifier, limit: 60))'",
                expected: "a name such as Europe/Berlin or UTC", suggestion: Self.suggestion(identifier))
        }
        self.zone = zone
    }

    /// `Europe/Berlin` for `berlin` and `europe/berlin`.
    private static func suggestion(_ identifier: String) -> String? {
        let meant = identifier.lowercased().replacing(" ", with: "_")
        return TimeZone.knownTimeZoneIdentifiers.first { name in
            name.lowercased() == meant || name.lowercased().hasSuffix("/\(meant)")
        }
    }

    func offset(at moment: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
    }

    /// The first moment after `start`, and not after `end`, with another offset than at `start`; nil if there is none.
    ///
    /// It looks once a week: no zone changes its offset and changes it back within one.
    func change(after start: Int, through end: Int) -> Int? {
        let offset = offset(at: start)
        var (before, after) = (start, start)
        repeat {
            guard after < end else { return nil }
            (before, after) = (after, min(after + 7 * 86_400, end))
        } while self.offset(at: after) == offset
        while after - before > 1 {
            let middle = before + (after - before) / 2
            if self.offset(at: middle) == offset { before = middle } else { after = middle }
        }
        return after
    }

    /// The first moment at which the clocks show `reading`, or at which they skip it.
    func moment(showing reading: Int) -> Int {
        // A day before and after, the offset is that before and after any change.
        let offsets = [offset(at: reading - 86_400), offset(at: reading + 86_400)]
        let candidates = offsets.map { reading - $0 }
        if let shown = candidates.sorted().first(where: { $0 + offset(at: $0) == reading }) { return shown }
        return change(after: candidates[1], through: candidates[0]) ?? candidates[0]
    }
}
