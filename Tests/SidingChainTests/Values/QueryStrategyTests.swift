// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import Testing

/// The golden outputs of query encoding, each of them in a query and in a form, from typed values and from a model.
@Suite struct QueryStrategyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var encoding = QueryEncoding()
        var model: any Encodable & Sendable
        var values: [String: QueryValue]
        var expected: String
        var testDescription: String { expected }
    }

    struct Person: Encodable { var name = "bob", age = 23 }
    struct Flags: Encodable { var g = false, f = true }
    struct List: Encodable {
        var arr = Mixed()
        struct Mixed: Encodable {
            func encode(to encoder: any Encoder) throws {
                var items = encoder.unkeyedContainer()
                try items.encode("a")
                try items.encode(23)
                try items.encode(false)
            }
        }
    }
    struct Nested: Encodable { var d = Person() }
    struct Deep: Encodable { var d = ["l": [1, 2]] }
    struct Text: Encodable { var q = "x+y z&w" }
    struct Nothing: Encodable { var a: [Int] = [], o: [String: Int] = [:], n: Int?, m = [Int?.none] }
    struct People: Encodable { var l = [Person()] }

    static let mixed: [String: QueryValue] = ["arr": ["a", 23, false]]
    static let nothing: [String: QueryValue] = ["a": [], "o": [:], "n": nil, "m": [nil]]
    static let rows: [Row] = [
        Row(model: Person(), values: ["name": "bob", "age": 23], expected: "age=23&name=bob"),
        Row(model: Flags(), values: ["g": false, "f": true], expected: "f=1&g=0"),
        Row(
            encoding: QueryEncoding(bools: .asBool), model: Flags(), values: ["g": false, "f": true],
            expected: "f=true&g=false"),
        Row(model: List(), values: mixed, expected: "arr%5B%5D=a&arr%5B%5D=23&arr%5B%5D=0"),
        Row(
            encoding: QueryEncoding(arrays: .noBrackets), model: List(), values: mixed,
            expected: "arr=a&arr=23&arr=0"),
        Row(encoding: QueryEncoding(arrays: .comma), model: List(), values: mixed, expected: "arr=a,23,0"),
        Row(
            encoding: QueryEncoding(arrays: .comma), model: ["arr": ["a,b", "c d"]], values: ["arr": ["a,b", "c d"]],
            expected: "arr=a%2Cb,c%20d"),
        Row(
            model: Nested(), values: ["d": ["age": 23, "name": "bob"]],
            expected: "d%5Bage%5D=23&d%5Bname%5D=bob"),
        Row(model: Deep(), values: ["d": ["l": [1, 2]]], expected: "d%5Bl%5D%5B%5D=1&d%5Bl%5D%5B%5D=2"),
        Row(model: Text(), values: ["q": "x+y z&w"], expected: "q=x%2By%20z%26w"),
        Row(model: Nothing(), values: nothing, expected: ""),
        Row(encoding: QueryEncoding(nulls: .empty), model: Nothing(), values: nothing, expected: "m%5B%5D=&n="),
        Row(
            encoding: QueryEncoding(dictionaries: .dots), model: Nested(),
            values: ["d": ["age": 23, "name": "bob"]], expected: "d.age=23&d.name=bob"),
        Row(
            encoding: QueryEncoding(dictionaries: .dots), model: Deep(), values: ["d": ["l": [1, 2]]],
            expected: "d.l%5B%5D=1&d.l%5B%5D=2"),
        Row(
            encoding: QueryEncoding(arrays: .noBrackets, dictionaries: .dots), model: People(),
            values: ["l": [["age": 23, "name": "bob"]]], expected: "l.age=23&l.name=bob"),
    ]

    @Test(arguments: rows) func `typed values encode as documented`(_ row: Row) {
        #expect(row.encoding.encode(row.values) == row.expected)
    }

    @Test(arguments: rows) func `a model gives the same query behind the route's own, and no body`(_ row: Row)
        async throws
    {
        let all = row.expected.isEmpty ? "/p?x=1" : "/p?x=1&\(row.expected)"
        let draft = try RequestDraft.test(.get, "http://a/p?x=1#part")
        #expect(try await encoded(row.model, .urlQuery, row.encoding, draft) == Encoded(target: all))
    }

    @Test(arguments: rows) func `a model gives the same form`(_ row: Row) async throws {
        let draft = try RequestDraft.test()
        #expect(
            try await encoded(row.model, .formURL, row.encoding, draft)
                == Encoded(contentType: "application/x-www-form-urlencoded", body: row.expected))
    }

    private func encoded<Model: Encodable & Sendable>(
        _ model: Model, _ encoding: BodyEncoding, _ queryEncoding: QueryEncoding, _ draft: RequestDraft
    ) async throws -> Encoded {
        try await RequestEncoderNode<Model>(encoding: encoding, queryEncoding: queryEncoding).encoded(model, draft)
    }

    @Test func `lists and objects inside a list are not lost between commas`() {
        let encoding = QueryEncoding(arrays: .comma)
        #expect(encoding.encode(["l": [["a": 1], 2]]) == "l%5B%5D%5Ba%5D=1&l%5B%5D=2")
        #expect(encoding.encode(["l": [[1, 2], [3]]]) == "l%5B%5D=1,2&l%5B%5D=3")
    }

    @Test func `null between commas is left out, or empty by choice`() {
        #expect(QueryEncoding(arrays: .comma).encode(["l": [1, nil, 2], "n": [nil]]) == "l=1,2")
        #expect(QueryEncoding(arrays: .comma, nulls: .empty).encode(["l": [1, nil, 2]]) == "l=1,,2")
    }
}
