// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

@Suite struct RecordSelectionLawTests {
    @Test func `a resource that was never opened has nothing to select`() async throws {
        let bench = try await StoreBench()
        try await require(
            bench.store.select(RecordSelection(resource: "nothing")),
            is: RecordBatch(records: [], number: 0, revision: 0),
            "all")
        try await require(bench.store.count(RecordSelection(resource: "nothing")), is: 0, "the count")
        try await require(bench.store.records(RecordLookup(resource: "nothing", keys: ["a"])), is: [], "one")
    }

    @Test func `equal means equal, and nothing equals nothing`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        try await bench.selects(.compare(.age, .isEqual, .integer(7)), ["b"])
        try await bench.selects(.compare(.age, .isEqual, .real(7)), ["b"])
        try await bench.selects(.compare(.age, .isEqual, .null), ["d", "e"])
        try await bench.selects(.compare(.age, .isNotEqual, .null), ["a", "b", "c"])
        try await bench.selects(.compare(.age, .isNotEqual, .integer(7)), ["a", "c", "d", "e"])
        try await bench.selects(.compare(.name, .isEqual, .text("Bo")), ["b"])
        try await bench.selects(.compare(.member, .isEqual, .integer(1)), ["a", "c"])
    }

    @Test func `order compares numbers with numbers, texts by their bytes, and nothing with nothing`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        try await bench.selects(.compare(.age, .isLess, .integer(30)), ["b", "c"])
        try await bench.selects(.compare(.age, .isLessOrEqual, .integer(30)), ["a", "b", "c"])
        try await bench.selects(.compare(.age, .isGreater, .real(7.25)), ["a", "c"])
        try await bench.selects(.compare(.name, .isGreaterOrEqual, .text("Bo")), ["b", "c", "d"])
        try await bench.selects(.compare(.age, .isLess, .null), [])
    }

    @Test func `not, and, or know only true and false`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        let young = RecordFilter.compare(.age, .isLess, .integer(30))
        try await bench.selects(.not(young), ["a", "d", "e"])
        try await bench.selects(.not(.not(young)), ["b", "c"])
        try await bench.selects(.all([young, .compare(.member, .isEqual, .integer(1))]), ["c"])
        try await bench.selects(.any([young, .compare(.name, .isEqual, .text("al"))]), ["b", "c", "d"])
        try await bench.selects(.all([]), ["a", "b", "c", "d", "e"])
        try await bench.selects(.any([]), [])
    }

    @Test func `one of many values, nothing among them`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        try await bench.selects(.isOneOf(.name, [.text("Bo"), .text("al"), .text("x")]), ["b", "d"])
        try await bench.selects(.isOneOf(.age, [.integer(7), .null, .real(12.5)]), ["b", "c", "d", "e"])
        try await bench.selects(.isOneOf(.age, []), [])
        try await bench.selects(.not(.isOneOf(.age, [.integer(7)])), ["a", "c", "d", "e"])
    }

    @Test func `texts are looked into case for case, and by LIKE without the case of ASCII letters`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        try await bench.selects(.text(.name, .contains, "l"), ["d", "e"])
        try await bench.selects(.text(.name, .hasPrefix, "A"), ["a", "e"])
        try await bench.selects(.text(.name, .isLike, "al%"), ["d", "e"])
        try await bench.selects(.text(.name, .isLike, "_o"), ["b"])
        try await bench.selects(.text(.name, .isLike, "a\\%"), ["a"])
    }

    @Test func `integers outside of Int64 are equal by all their digits`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(
            #"[{"id":"a","n":18446744073709551615},{"id":"b","n":18446744073709551614},{"id":"c","n":1}]"#,
            bench.open())
        try await bench.selects(.compare(.number, .isEqual, .digits("18446744073709551615")), ["a"])
        try await bench.selects(.compare(.number, .isNotEqual, .digits("18446744073709551615")), ["b", "c"])
        try await bench.selects(.compare(.number, .isGreater, .integer(.max)), ["a", "b"])
        try await bench.selects(.isOneOf(.number, [.digits("18446744073709551614"), .integer(1)]), ["b", "c"])
    }

    @Test func `members of members are reached, also by names that need quotes`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(
            #"[{"id":"a","user":{"full name":"Al","o'clock":1}},{"id":"b","user":{"full name":"Bo"}}]"#,
            bench.open())
        let name = JSONPath(members: ["user", "full name"])
        try await bench.selects(.compare(name, .isEqual, .text("Bo")), ["b"])
        try await bench.selects(.compare(JSONPath(members: ["user", "o'clock"]), .isEqual, .integer(1)), ["a"])
    }

    @Test func `a selection is ordered by its members, then by key, and cut by offset and limit`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        var selection = RecordSelection(resource: "posts", order: [RecordOrder(path: .age)])
        try await bench.selects(selection, ["d", "e", "b", "c", "a"])
        selection.order = [RecordOrder(path: .member, isDescending: true), RecordOrder(path: .age)]
        try await bench.selects(selection, ["c", "a", "b", "d", "e"])
        selection.offset = 1
        selection.limit = 2
        try await bench.selects(selection, ["a", "b"])
        try await require(bench.store.count(selection), is: 2, "the count within the bounds")
        try await bench.selects(RecordSelection(resource: "posts", after: "b", limit: 2), ["c", "d"])
    }

    @Test func `records are looked up in the order of their keys, and missing ones are left out`() async throws {
        let bench = try await StoreBench()
        try await bench.people()
        let filter = RecordFilter.compare(.age, .isNotEqual, .null)
        let lookup = RecordLookup(resource: "posts", keys: ["c", "x", "d", "a"], filter: filter)
        try await require(bench.store.records(lookup).map(\.key), is: ["c", "a"], "the keys")
    }
}

extension JSONPath {
    fileprivate static let age = JSONPath(member: "age")
    fileprivate static let name = JSONPath(member: "name")
    fileprivate static let member = JSONPath(member: "member")
    fileprivate static let number = JSONPath(member: "n")
}

extension StoreBench {
    fileprivate func people() async throws {
        try await commit(
            #"""
            [{"id":"a","name":"A%","age":30,"member":true},{"id":"b","name":"Bo","age":7,"member":false},
             {"id":"c","name":"Cy","age":12.5,"member":true},{"id":"d","name":"al","age":null},{"id":"e","name":"Al"}]
            """#, open())
    }

    fileprivate func selects(_ filter: RecordFilter, _ keys: [String], line: Int = #line) async throws {
        try await selects(RecordSelection(resource: Self.resource, filter: filter), keys, line: line)
        let count = try await store.count(RecordSelection(resource: Self.resource, filter: filter))
        try require(count, is: keys.count, "the count of \(filter)", line: line)
    }

    fileprivate func selects(_ selection: RecordSelection, _ keys: [String], line: Int = #line) async throws {
        try await require(store.select(selection).records.map(\.key), is: keys, "\(selection)", line: line)
        try await require(store.keys(selection), is: keys, "the keys of \(selection)", line: line)
    }
}
