// SPDX-License-Identifier: Apache-2.0
import SidingSchedule
import Testing

@Suite struct CronFaultTests {
    private static let common = ", *, ranges such as 1-5, steps such as */2, or a list of these"
    private static let five =
        "five fields such as \"*/15 6-22 * * mon-fri\" (minute, hour, day of the month, month, day of the week), or @hourly, "
        + "@daily, @weekly, @monthly or @yearly"

    @Test(arguments: [
        ("60 * * * *", "the minute is '60'; expected 0 to 59\(common)"),
        ("* 24 * * *", "the hour is '24'; expected 0 to 23\(common)"),
        ("* * 0 * *", "the day of the month is '0'; expected 1 to 31\(common)"),
        ("* * * foo *", "the month is 'foo'; expected 1 to 12 or jan to dec\(common)"),
        ("* * * * 8", "the day of the week is '8'; expected 0 to 7 or sun to sat\(common)"),
        ("* * L * *", "the day of the month is 'L'; expected 1 to 31\(common)"),
        ("1,,2 * * * *", "the minute is ''; expected 0 to 59\(common)"),
        ("* * * * mon-", "the day of the week is 'mon-'; expected 0 to 7 or sun to sat\(common)"),
        ("-1 * * * *", "the minute is '-1'; expected 0 to 59\(common)"),
        ("+1 * * * *", "the minute is '+1'; expected 0 to 59\(common)"),
        ("99999999999999999999 * * * *", "the minute is '99999999999999999999'; expected 0 to 59\(common)"),
        ("* 22-6 * * *", "the hour is '22-6'; expected a range that begins with its smaller end"),
        ("*/0 * * * *", "the minute is '*/0'; expected a step from 1 to 59"),
        ("*/90 * * * *", "the minute is '*/90'; expected a step from 1 to 59"),
        ("5/15 * * * *", "the minute is '5/15'; expected a step such as */15 or 8-18/2"),
        ("*/2/3 * * * *", "the minute is '*/2/3'; expected a step such as */15 or 8-18/2"),
        ("0 6 * *", "the cron expression has 4 fields; expected \(five)"),
        ("0 0 6 * * *", "the cron expression has 6 fields; expected \(five)"),
        ("@reboot", "the cron expression has 1 field; expected \(five)"),
        ("", "the cron expression has 0 fields; expected \(five)"),
        (
            "0 0 30 2 *",
            "the cron expression never comes: none of its months has such a day; expected a day that exists"
        ),
        (
            "0 0 31 4,6,9,11 *",
            "the cron expression never comes: none of its months has such a day; expected a day that exists"
        ),
    ])
    func `a bad expression is refused with its field and the allowed values`(_ text: String, _ message: String) {
        #expect { try CronSchedule(text, zone: "UTC") } throws: { "\($0)" == message }
    }

    @Test(arguments: [
        ("berlin", "; did you mean 'Europe/Berlin'?"), ("america/new york", "; did you mean 'America/New_York'?"),
        ("Mars/Base", ""), ("../../etc/passwd", ""),
    ])
    func `a zone that does not exist is refused, with the one that was meant`(_ zone: String, _ question: String) {
        let message = "there is no time zone '\(zone)'; expected a name such as Europe/Berlin or UTC\(question)"
        #expect { try CronSchedule("@daily", zone: zone) } throws: { "\($0)" == message }
    }
}
