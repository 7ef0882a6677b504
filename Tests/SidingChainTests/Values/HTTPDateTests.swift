// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    ])
    func `a date is written as it is read`(_ seconds: Double, _ text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.secondsSince1970(text) == seconds.rounded(.down))
    }

    @Test(arguments: [-1e12, 1e12, .infinity, .nan] as [Double])
    func `a year without four digits is not written`(_ seconds: Double) {
        #expect(HTTPDate.text(seconds) == nil)
    }
}
