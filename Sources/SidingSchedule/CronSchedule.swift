// SPDX-License-Identifier: Apache-2.0
public import Siding
public import SidingChain

/// A schedule by local time: a five-field cron expression, as in crontab(5), in a time zone.
///
/// ```swift
/// let schedule = try CronSchedule("*/15 6-22 * * mon-fri", zone: "Europe/Berlin")
/// ```
///
/// The fields are minute, hour, day of the month, month and day of the week, with lists, ranges, steps and English names; 0 and
/// 7 are Sunday. If both kinds of days are restricted, a day matches by either. `@hourly`, `@daily`, `@weekly`, `@monthly` and
/// `@yearly` are known.
///
/// A time that daylight saving skips comes at the change; a time that it repeats comes once. With `*` or `*/n` as the hour the
/// times follow the clock as it runs: skipped ones are left out, and repeated ones come twice.
public struct CronSchedule: SyncSchedule {
    private let expression: CronExpression
    private let zone: ZoneOffsets
    /// Whether it has no zone of its own.
    let followsMachine: Bool

    /// - Parameters:
    ///   - text: such as `0 6 * * mon-fri`.
    ///   - zone: the name of a time zone such as `Europe/Berlin`; nil for the machine's zone, as cron has it.
    /// - Throws: ``ScheduleError`` that names the wrong field and what may be in it; also if no day matches, such as 30 February.
    public init(_ text: String, zone: String? = nil) throws(ScheduleError) {
        expression = try CronExpression(text)
        self.zone = try ZoneOffsets(zone)
        followsMachine = zone == nil
    }

    /// The shortest time between two moments, but for changes of the clocks.
    package var shortestInterval: Duration { .seconds(expression.shortestInterval * 60) }

    public func next(after last: Timestamp) -> Timestamp {
        // Beyond the year 9999 nothing is planned.
        guard last.microseconds < 253_402_300_800_000_000 else { return Timestamp(microseconds: .max) }
        let second = Int((max(last.microseconds, 0)) / 1_000_000)
        let next = expression.isOfEveryHour ? nextAsTheClockRuns(after: second) : nextOfDay(after: second)
        return Timestamp(microseconds: next.map { Int64($0) * 1_000_000 } ?? .max)
    }

    /// The earliest moment after `last` at which the clocks show a time of the expression.
    private func nextAsTheClockRuns(after last: Int) -> Int? {
        var start = last + 1
        while true {
            let offset = zone.offset(at: start)
            guard let reading = expression.first(from: start + offset) else { return nil }
            guard let change = zone.change(after: start, through: reading - offset) else { return reading - offset }
            start = change
        }
    }

    /// The same where each time of a day comes once.
    private func nextOfDay(after last: Int) -> Int? {
        var reading = last + zone.offset(at: last)
        while let next = expression.first(from: reading + 1) {
            let moment = zone.moment(showing: next)
            if moment > last { return moment }
            reading = next
        }
        return nil
    }
}
