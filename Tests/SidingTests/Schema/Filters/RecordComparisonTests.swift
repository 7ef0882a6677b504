// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// `where` as a map: how a member's value is compared.
@Suite struct RecordComparisonTests {
    private static func bench(_ path: String, _ comparison: RecordExpression.Comparison) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        let condition = try RecordExpression(JSONPath(parsing: path), comparison)
        bench.resource.schema = RecordSchema(transforms: RecordTransforms(condition: condition))
        return bench
    }

    private static let values = [
        "1.50", "1e3", "12345678901234567890", #""1.50""#, "7", "7.0", "true", "null", "-0", "[1, 2]", #""a b""#,
    ]

    @Test(arguments: [
        (RecordExpression.Comparison.equals("1.50"), [1, 4]), (.equals("1.5"), []), (.equals("1e3"), [2]),
        (.equals("1000.0"), []), (.equals("12345678901234567890"), [3]), (.equals("7"), [5]), (.equals("7.0"), [6]),
        (.equals("true"), [7]), (.equals("1"), []), (.equals("null"), []), (.equals("-0"), [9]), (.equals("a b"), [11]),
        (.isOneOf(["1e3", "7", "true", "a b"]), [2, 5, 7, 11]), (.isOneOf([]), []),
        (.notEquals("1e3"), [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]), (.exists(true), [1, 2, 3, 4, 5, 6, 7, 9, 10, 11]),
        (.exists(false), [8, 12]),
    ])
    func `numbers and truth values are compared as they are written`(
        _ comparison: RecordExpression.Comparison, _ kept: [Int]
    ) async throws {
        let bench = try await Self.bench("$.o.x", comparison)
        let records = Self.values.enumerated().map { #"{"id":\#($0 + 1),"o":{"x":\#($1)}}"# } + [#"{"id":12,"o":{}}"#]
        bench.origin.set("/posts", .text("[\(records.joined(separator: ","))]"))
        #expect(try await bench.sync().result.counters.inserted == kept.count)
        #expect(try await bench.keys().compactMap { Int($0) }.sorted() == kept)
    }

    @Test func `the existence of a value is NULL where the member is missing, and false where it is null`()
        async throws
    {
        let bench = try await Self.bench("$.state", .exists(true))
        func set(_ state: String) {
            let records = (1...5).map { #"{"id":\#($0)\#(state)}"# }
            bench.origin.set("/posts", .text("[\(records.joined(separator: ","))]"))
        }
        set(#","state":"open""#)
        #expect(try await bench.sync().result.counters.inserted == 5)
        set("")
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.counters.deletionsBlocked == 5 && report.result.counters.deleted == 0)
            #expect(report.warnings.contains { $0.contains("'where' leaves out 5 of 5 stored records") })
        }
        #expect(try await bench.keys().count == 5)
        set(#","state":null"#)
        #expect(try await bench.sync().result.counters.deleted == 5)
        #expect(try await bench.keys() == [])
    }

    @Test func `a member that is missing fits where there is to be none, and leaves nothing open`() async throws {
        let bench = try await Self.bench("$.state", .exists(false))
        bench.origin.set("/posts", .text(#"[{"id":1},{"id":2,"state":null}]"#))
        #expect(try await bench.sync().result.counters.inserted == 2)
        bench.origin.set("/posts", .text(#"[{"id":1,"state":"open"},{"id":2,"state":"open"}]"#))
        #expect(try await bench.sync().result.counters.deleted == 2)
    }
}
