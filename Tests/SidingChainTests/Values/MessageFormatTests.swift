// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct MessageFormatTests {
    @Test(arguments: [
        (Duration.milliseconds(850), "850 ms"), (.seconds(12), "12 s"), (.seconds(89), "89 s"), (.seconds(90), "2 min"),
        (.seconds(5400), "2 h"), (.seconds(172_800), "2 d"), (.seconds(-34_560_000), "-400 d"),
    ])
    func `a duration is shown in the largest unit that fits`(duration: Duration, words: String) {
        #expect(MessageFormat.duration(duration) == words)
    }

    @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_500_000, "1.4 MiB"), (3 << 30, "3.0 GiB")])
    func `a size is shown in binary units`(bytes: Int, words: String) {
        #expect(MessageFormat.size(bytes) == words)
    }

    @Test func `a length of time is shown without "ago"`() {
        let now = Timestamp(secondsSince1970: 1_000)
        let format = MessageFormat(now: now, isAbsolute: false)
        #expect(format.span(since: now + .seconds(-12)) == "for 12 s")
        #expect(format.span(since: now + .seconds(60)) == "since 1970-01-01T00:17:40.000Z")
        #expect(MessageFormat(now: now, isAbsolute: true).span(since: now) == "since 1970-01-01T00:16:40.000Z")
    }

    @Test func `a timestamp of a clock that was ahead is in the future, and a planned one is due in a while`() {
        let now = Timestamp(secondsSince1970: 1_000)
        let format = MessageFormat(now: now, isAbsolute: false)
        #expect(format.time(now + .seconds(-12)) == "12 s ago" && format.age(now + .seconds(-12)) == "12 s")
        // Clocks of machines differ a little.
        #expect(format.time(now + .seconds(2)) == "0 ms ago" && format.age(now + .seconds(2)) == "0 ms")
        let later = now + .seconds(34_560_000)
        #expect(format.time(later) == "400 d in the future" && format.age(later) == "400 d in the future")
        #expect(format.next(now + .seconds(2)) == "in 2 s" && format.next(now + .seconds(-2)) == "2 s ago")
        #expect(MessageFormat(now: now, isAbsolute: true).next(now) == "1970-01-01T00:16:40.000Z")
    }

    @Test func `counts are grouped and agree with their noun`() {
        #expect(MessageFormat.count(1, "record") == "1 record")
        #expect(MessageFormat.count(1_234_567, "record") == "1,234,567 records")
        #expect(MessageFormat.grouped(-1000) == "-1,000")
    }
}
