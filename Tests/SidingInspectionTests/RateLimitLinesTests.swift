// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import Siding
@testable import SidingInspection

/// Rate limits as `siding status` shows them.
@Suite struct RateLimitLinesTests {
    private let now = Timestamp(secondsSince1970: 1_700_000_000)

    private func line(_ rate: String?, used: Int, remaining: Int? = nil, freeAfter: Int? = nil) -> String {
        let reset = now + .seconds(2_520)
        return Overview.line(
            RateLimitReport(
                source: "tracker", match: "**", rate: rate.flatMap { RequestRate($0) }, used: used,
                remaining: remaining, resetAt: remaining == nil ? nil : reset,
                freeAt: freeAfter.map { now + .seconds($0) }, exhaustion: nil), now: now)
    }

    @Test func `usage, remaining quota and its end are shown as far as they are known`() {
        #expect(line("30/m", used: 12) == "limit of tracker '**': 12 of 30/m used")
        #expect(
            line("30/m", used: 30, remaining: 4_987, freeAfter: 42)
                == "limit of tracker '**': 30 of 30/m used, the origin has 4,987 left for another 42 min, full for another "
                + "42 s")
        #expect(
            line(nil, used: 0, remaining: 4_987)
                == "limit of tracker '**': the origin has 4,987 left for another 42 min")
        #expect(line(nil, used: 1) == "limit of tracker '**': 1 under way")
    }
}
