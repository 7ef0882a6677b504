// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// A clock that was far ahead when records were stored, and was set back since.
@Suite struct ClockSetBackTests {
    @Test(arguments: [400, 2])
    func `records that were stored with a later clock are found missing, too`(_ days: Int) async throws {
        let bench = try await EngineBench()
        var ahead = bench
        ahead.resource.deletions = Deletions(byAbsence: true)
        bench.time.advance(by: .seconds(days * 86_400))
        _ = try await ahead.sync()
        bench.time.advance(by: .seconds(-days * 86_400))
        ahead.list("[1,2]", "[3,4]", "[]")
        for _ in 0..<3 {
            bench.time.advance(by: .seconds(60))
            _ = try await ahead.sync()
        }
        #expect(try await ahead.tombstones() == ["5"])
    }

    @Test func `a cursor that was moved with a later clock is older than the origin remembers`() async throws {
        var rule = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .epoch)
        rule.retention = .seconds(86_400)
        let now = Timestamp(secondsSince1970: 1_800_000_000)
        let definition = ResourceDefinition(try await EngineBench().resource)
        let stored = StoredCursor(
            value: "1799999000", movedAt: now + .seconds(400 * 86_400), definition: definition)
        let start = CursorStart.usual(rule, stored, isFull: false, now: now)
        #expect(start.from == nil && start.reason?.contains("older than the origin remembers") == true)
        let near = StoredCursor(value: "1799999000", movedAt: now + .seconds(60), definition: definition)
        #expect(CursorStart.usual(rule, near, isFull: false, now: now).from != nil)
    }
}
