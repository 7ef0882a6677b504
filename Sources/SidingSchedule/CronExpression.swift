// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// The times of a cron expression on a clock without a time zone, whose readings are seconds since it showed the beginning of
/// 1970.
struct CronExpression: Sendable, Hashable {
    private let minutes: UInt64
    private let hours: UInt64
    private let days: UInt64
    private let months: UInt64
    private let weekdays: UInt64
    /// Whether a day matches by its number or by its weekday, as both are restricted; else it has to match by both.
    private let matchesEitherDay: Bool
    /// Whether the hour is `*` or `*/n`.
    let isOfEveryHour: Bool

    private static let shortcuts = [
        "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
    ]
    private static let expected =
        "five fields such as \"*/15 6-22 * * mon-fri\" (minute, hour, day of the month, month, day of the week), or "
        + "@hourly, @daily, @weekly, @monthly or @yearly"

    init(_ text: String) throws(ScheduleError) {
        let text = Self.shortcuts[text.lowercased()] ?? text
        let parts = text.split(whereSeparator: \.isWhitespace).map(String.init)
        guard parts.count == 5 else {
            throw ScheduleError(
                "the cron expression has \(MessageFormat.count(parts.count, "field"))",
                expected: Self.expected)
        }
        minutes = try CronField.minute.values(parts[0])
        hours = try CronField.hour.values(parts[1])
        days = try CronField.day.values(parts[2])
        months = try CronField.month.values(parts[3])
        weekdays = try CronField.weekday.values(parts[4])
        // crontab(5) and its programs take a field that begins with * as unrestricted, also with a step.
        matchesEitherDay = !parts[2].hasPrefix("*") && !parts[4].hasPrefix("*")
        isOfEveryHour = parts[1].hasPrefix("*")
        guard firstDay(from: 0) != nil else {
            throw ScheduleError(
                "the cron expression never comes: none of its months has such a day", expected: "a day that exists")
        }
    }

    /// The first time that is not before `reading`; nil if there is none.
    func first(from reading: Int) -> Int? {
        let minute = Self.quotient(reading + 59, 60)
        let day = Self.quotient(minute, 1440)
        guard let found = firstDay(from: day) else { return nil }
        if found == day, let time = firstMinute(from: minute - day * 1440) { return (day * 1440 + time) * 60 }
        guard let next = found > day ? found : firstDay(from: day + 1), let time = firstMinute(from: 0) else {
            return nil
        }
        return (next * 1440 + time) * 60
    }

    /// The shortest time between two of its times, in minutes, as 400 of its days show it.
    var shortestInterval: Int {
        var (minutes, days): ([Int], [Int]) = ([], [])
        while let minute = firstMinute(from: (minutes.last ?? -1) + 1) { minutes.append(minute) }
        while days.count < 400, let day = firstDay(from: (days.last ?? -1) + 1) { days.append(day) }
        func shortest(_ times: [Int]) -> Int? { zip(times, times.dropFirst()).map { $1 - $0 }.min() }
        let night = (shortest(days) ?? 366) * 1440 + (minutes.first ?? 0) - (minutes.last ?? 0)
        return min(night, shortest(minutes) ?? night)
    }

    private func firstMinute(from minuteOfDay: Int) -> Int? {
        var start = minuteOfDay % 60
        for hour in minuteOfDay / 60..<24 {
            if Self.has(hours, hour), let minute = (start..<60).first(where: { Self.has(minutes, $0) }) {
                return hour * 60 + minute
            }
            start = 0
        }
        return nil
    }

    /// The first matching day that is not before `day`, counted since 1970. The calendar, weekdays included, repeats after 400
    /// years.
    private func firstDay(from day: Int) -> Int? {
        var (year, month, date) = UTCDate(microseconds: Int64(day) * 86_400_000_000).civil
        for _ in 0...4800 {
            if Self.has(months, month) {
                let start = UTCDate.daysSince1970(year: year, month: month, day: 1)
                let found = (date...UTCDate.days(inMonth: month, ofYear: year)).first { date in
                    matches(date, weekday: Self.remainder(start + date - 1 + 4, 7))
                }
                if let found { return start + found - 1 }
            }
            (year, month, date) = month == 12 ? (year + 1, 1, 1) : (year, month + 1, 1)
        }
        return nil
    }

    /// - Parameter weekday: 0 is Sunday; 1970 began on a Thursday.
    private func matches(_ date: Int, weekday: Int) -> Bool {
        let (isDay, isWeekday) = (Self.has(days, date), Self.has(weekdays, weekday))
        return matchesEitherDay ? isDay || isWeekday : isDay && isWeekday
    }

    private static func has(_ bits: UInt64, _ value: Int) -> Bool { bits >> UInt64(value) & 1 == 1 }

    private static func quotient(_ number: Int, _ divisor: Int) -> Int {
        number >= 0 ? number / divisor : (number - divisor + 1) / divisor
    }

    private static func remainder(_ number: Int, _ divisor: Int) -> Int {
        number - quotient(number, divisor) * divisor
    }
}
