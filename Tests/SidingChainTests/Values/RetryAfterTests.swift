// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct RetryAfterTests {
    /// 1994-11-06 08:49:37 UTC.
    static let then = 784_111_777.0

    @Test(arguments: [
        ("120", 120), ("0", 0), (" 5", 5), ("86400", 86_400), ("86401", 86_400), ("99999999999999999999999", 86_400),
        ("2.0", 2), ("1.5", 2), ("0.25", 1), ("86400.5", 86_400), ("99999999999999999999999.5", 86_400),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
    ])
    func `a wait is read, bounded`(_ value: String, _ seconds: Int) {
        #expect(RetryAfter.wait(value, now: Self.then) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "-5", ".", "1.", ".5", "1.2.3", "1.x", "soon", "1e3", "0x10", "٣", "12 monkeys", "Sun, 06 Nov 1994",
        "\u{0}",
    ])
    func `an unusable value is ignored`(_ value: String) {
        #expect(RetryAfter.wait(value, now: Self.then) == nil)
    }

    @Test func `fractions of a second round up`() {
        #expect(RetryAfter.wait("Sun, 06 Nov 1994 08:49:38 GMT", now: Self.then + 0.5) == .seconds(1))
    }

    @Test func `an answer has the wait of its Retry-After`() {
        #expect(HTTPFailure(status: 429, headerFields: [.retryAfter: "3"]).retryAfter(now: 0) == .seconds(3))
        #expect(HTTPFailure(status: 429).retryAfter(now: 0) == nil)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Friday, 31-Dec-99 23:59:59 GMT", 946_684_799), ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800),
    ])
    func `dates are counted from 1970`(_ text: String, _ seconds: Double) {
        #expect(HTTPDate.secondsSince1970(text) == seconds)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT", "06 Nov 1994 08:49:37", "",
        "Sun, 06 Nov 99999 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:61:37 GMT", "1994-11-06T08:49:37Z",
    ])
    func `text that is not a date is not read as one`(_ text: String) {
        #expect(HTTPDate.secondsSince1970(text) == nil)
    }
}
