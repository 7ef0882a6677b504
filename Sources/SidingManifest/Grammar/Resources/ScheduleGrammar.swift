// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingSchedule

/// When a service syncs a resource: `schedule:`.
enum ScheduleGrammar {
    /// A schedule before it is bound to the name of its resource.
    struct Declaration: Sendable {
        var base: any SyncSchedule
        var jitter: Duration?

        /// The schedule of the resource `name` on a machine: with another name the jitter gives other delays.
        func schedule(of name: String, on machine: String) -> any SyncSchedule {
            guard let jitter else { return base }
            return JitteredSchedule(base, jitter: jitter, name: "\(machine) \(name)")
        }
    }

    private static let every = Keyword(
        "every", interval,
        "The time from the end of one sync to the beginning of the next, at least 1s. One of every and cron.")
    private static let cron = Keyword(
        "cron", ValueType<String>.text("a cron expression such as \"*/15 6-22 * * mon-fri\""),
        "Minute, hour, day of the month, month and day of the week, as in crontab(5), or @hourly, @daily, @weekly, @monthly or @yearly."
    )
    private static let zone = Keyword(
        "zone", ValueType<String>.text("a time zone such as Europe/Berlin"),
        "The time zone of the cron expression, such as Europe/Berlin. Without it: the machine's.")
    private static let jitter = Keyword(
        "jitter", .duration,
        "The longest delay, different for each machine, resource and moment, so that not all ask at once. At most the time between two syncs. Without it: none."
    )

    private static let shape = Shape<Declaration>([every.entry, cron.entry, zone.entry, jitter.entry]) {
        object, reading in
        let (every, cron) = (object.value(every, &reading), object.located(cron, &reading))
        let (zone, jitter) = (object.located(zone, &reading), object.located(jitter, &reading))
        let named = [Self.every.name, Self.cron.name].filter { object.entry($0) != nil }
        guard named.count == 1 else {
            let what = named.isEmpty ? "does not say when" : "has both every and cron"
            reading.fault(
                "\(reading.subject) \(what)", at: object.place, expected: "every: 15m, or cron: \"0 6 * * *\"")
            return nil
        }
        if let zone, object.entry(Self.cron.name) == nil {
            reading.fault("\(zone.subject) is only for a cron expression", at: zone.place, expected: "cron")
        }
        let cronSchedule = cron.flatMap { schedule($0, zone, &reading) }
        if let jitter, let shortest = every ?? cronSchedule?.shortestInterval, jitter.value > shortest {
            // Moments would be later than those after them.
            let most = DurationText.text(shortest)
            reading.fault(
                "\(jitter.subject) is longer than the shortest time between two moments", at: jitter.place,
                expected: "a duration up to \(most)")
        }
        let base: (any SyncSchedule)? = every.map(IntervalSchedule.init(every:)) ?? cronSchedule
        return base.map { Declaration(base: $0, jitter: jitter?.value) }
    }

    private static func schedule(
        _ cron: Located<String>, _ zone: Located<String>?, _ reading: inout Reading
    ) -> CronSchedule? {
        var part = cron
        do throws(ScheduleError) {
            let schedule = try CronSchedule(cron.value)
            guard let zone else { return schedule }
            part = zone
            return try CronSchedule(cron.value, zone: zone.value)
        } catch {
            reading.fault(
                "\(part.subject): \(error.message)", at: part.place, expected: error.expected,
                suggestion: error.suggestion)
            return nil
        }
    }

    private static let expected = "a duration such as 15m, { every: 15m, jitter: 1m } or { cron: \"0 6 * * *\" }"

    /// The whole of `schedule:`.
    static let type = ValueType<Declaration>.scalar(
        interval(expected).map { every, _, _ in Declaration(base: IntervalSchedule(every: every)) },
        orMap: shape.type, expected)

    private static let interval = interval("a duration such as 15m, at least 1s")

    /// A duration of a second or more: what syncs more often is no schedule.
    private static func interval(_ expected: String) -> ValueType<Duration> {
        .span(expected, atLeast: .seconds(1)) { text in
            let isCron = text.hasPrefix("@") || text.split(separator: " ").count == 5
            return isCron ? "{ cron: \"\(text)\" }" : nil
        }
    }
}
