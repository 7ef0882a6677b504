// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingSQLite

@Suite struct DecimalCollationTests {
    private static func compare(_ left: String, _ right: String) -> Int32 {
        Array(left.utf8).withUnsafeBytes { left in
            Array(right.utf8).withUnsafeBytes { DecimalCollation.compare(left, $0) }
        }
    }

    /// Each line holds texts that are equal; the lines are in order.
    private static let ordered = [
        ["-1e400"], ["-12345678901234567890.126"], ["-12345678901234567890.125"], ["-10", "-10.0", "-1e1"],
        ["-9.99"], ["-0.1", "-1E-1"], ["-1e-999999999"], ["0", "-0", "0.00", "0e9", "000"], ["1e-400"],
        ["0.1", "00.10"],
        ["0.30000000000000004"], ["0.5", "5e-1"], ["9.50", "9.5", "0.95e+1"], ["10", "10.000", "1e1"], ["100.10"],
        ["9007199254740992"], ["9007199254740993"], ["12345678901234567890.125"], ["1e400"],
        [""], [" 1"], ["+1"], [".5"], ["1,5"], ["1."], ["1e"], ["a"],
    ]

    @Test func `texts are compared as numbers of any length, and others come behind`() {
        for (place, line) in Self.ordered.enumerated() {
            for (otherPlace, other) in Self.ordered.enumerated() {
                for left in line {
                    for right in other {
                        let order = Self.compare(left, right).signum()
                        #expect(order == Int32((place - otherPlace).signum()), "\(left) \(right)")
                    }
                }
            }
        }
    }
}
