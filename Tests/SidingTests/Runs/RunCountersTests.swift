// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Siding

@Suite struct RunCountersTests {
    @Test func `every counter is in the list once, under its name in the table`() {
        var counters = RunCounters()
        var last = 0
        let columns = counters.map { column, counter in
            last += 1
            counter = last
            return column.description
        }
        let listed = Dictionary(uniqueKeysWithValues: zip(columns, 1...))
        let members = Mirror(reflecting: counters).children
        #expect(members.count == listed.count)
        for (label, value) in members {
            let column = (label ?? "").flatMap { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }
            #expect(listed[String(column)] == value as? Int, "\(label ?? "")")
        }
    }

    @Test func `sums add each counter to its own`() {
        var (sum, part) = (RunCounters(), RunCounters())
        (sum.pages, sum.bytes, part.pages, part.nullFiltered, part.bytes) = (1, 10, 2, 3, 20)
        sum += part
        var expected = RunCounters()
        (expected.pages, expected.nullFiltered, expected.bytes) = (3, 3, 30)
        #expect(sum == expected)
    }
}
