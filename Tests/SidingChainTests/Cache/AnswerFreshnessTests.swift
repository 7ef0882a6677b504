// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@Suite struct AnswerFreshnessTests {
    /// 2023-11-14T22:13:20Z
    private let now = 1_700_000_000.0

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60), (["Cache-Control": "private, max-age=60, s-maxage=900"], 60),
            (["Cache-Control": "max-age=60, must-revalidate"], 60), (["Cache-Control": "max-age=60", "Age": "45"], 15),
            (["Cache-Control": "max-age=60", "Age": "60"], nil), (["Cache-Control": "max-age=0"], nil),
            (["Cache-Control": "no-cache, max-age=60"], nil), (["Cache-Control": "no-store, max-age=60"], nil),
            (["Cache-Control": "s-maxage=60"], nil), (["Cache-Control": "max-age=soon"], nil), ([:], nil),
            (["Cache-Control": "max-age=99999999999"], 86_400),
            (["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], 60), (["Expires": "0"], nil),
            (["Expires": "Tue, 14 Nov 2023 22:14:20 GMT", "Date": "Tue, 14 Nov 2023 22:13:10 GMT"], 60),
            (["Expires": "Tue, 14 Nov 2023 22:14:20 GMT", "Cache-Control": "max-age=5"], 5),
        ] as [([String: String], Int?)])
    func `an answer is fresh for as long as it says, less its age`(_ fields: [String: String], _ seconds: Int?) {
        #expect(AnswerFreshness.remaining(Self.fields(fields), now: now) == seconds.map { .seconds($0) })
    }

    @Test(
        arguments: [
            ("60", 60), (" 60 ", 60), ("0", nil), ("", nil), ("-5", nil), ("60s", nil), ("1e3", nil),
            ("999999999", 86_400),
        ] as [(String, Int?)])
    func `a poll interval is a number of seconds, and no longer than a day`(_ text: String, _ seconds: Int?) {
        #expect(AnswerFreshness.pollInterval(Self.fields(["X-Poll-Interval": text])) == seconds.map { .seconds($0) })
    }

    private static func fields(_ fields: [String: String]) -> HTTPFields {
        fields.reduce(into: HTTPFields()) { all, field in
            if let name = HTTPField.Name(field.key) { all[name] = field.value }
        }
    }
}
