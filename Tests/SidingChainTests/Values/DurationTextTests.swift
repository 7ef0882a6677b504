// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct DurationTextTests {
    @Test(arguments: ["1500ms", "1s", "90s", "90m", "1h", "36h", "7d"])
    func `a duration is written as it is read`(_ text: String) throws {
        #expect(DurationText.text(try #require(DurationText.parse(text))) == text)
    }

    @Test(
        arguments: [
            ("0s", .zero), ("1ms", .milliseconds(1)), ("0.5ms", .microseconds(500)), ("1.5s", .milliseconds(1_500)),
            ("15m", .seconds(900)), ("0.25h", .seconds(900)), ("7d", .seconds(604_800)),
            ("3650d", .seconds(315_360_000)),
        ] as [(String, Duration)])
    func `a duration is a number and a unit`(_ text: String, _ duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.parse(text, atLeast: duration) == duration)
        #expect(DurationText.parse(text, atLeast: duration + .nanoseconds(1)) == nil)
    }

    @Test(arguments: [
        "", "s", "5", "-3s", "+3s", ".5s", "5.s", "1.2.3s", "1e3s", "0x1s", "nans", "infs", "5 s", "5S", "5w", "5mi",
        "٣s",
        "3651d", "999999999999d", "9999999999999s", "0.1234567s",
    ])
    func `text that is not a duration, or one of over ten years, is refused`(_ text: String) {
        #expect(DurationText.parse(text) == nil)
        #expect(DurationText.isTooLong(text) == ["3651d", "999999999999d"].contains(text))
    }

    @Test(
        arguments: [
            ("30", "30s"), ("5 min", "5m"), ("2 Hours", "2h"), ("1_000 ms", "1000ms"), ("30s", nil), ("soon", nil),
            ("4000 days", nil),
        ] as [(String, String?)])
    func `a similar duration is suggested`(_ text: String, _ meant: String?) {
        #expect(DurationText.suggestion(text) == meant)
        #expect(DurationText.suggestion(text, atLeast: .seconds(7_201)) == nil)
    }
}
