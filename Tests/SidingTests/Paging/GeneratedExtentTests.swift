// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import Testing

@testable import SidingPaging

/// Totals and flags of origins that nobody has seen: names of records made of random syllables, in random spellings, places and
/// kinds of values. None of the names comes from the code under test.
@Suite struct GeneratedExtentTests {
    private struct Case: CustomStringConvertible {
        var path: [String]
        var records: [String]
        var value: EnvelopeScalar
        var description: String { "\(path) = \(value) beside \(records)" }
    }

    private struct Maker {
        var random: SeededGenerator

        mutating func one<Element>(of all: [Element]) -> Element { all[Int.random(in: 0..<all.count, using: &random)] }

        /// `vorba`, `telumi`: without the plural's ending.
        mutating func noun() -> String {
            (0..<Int.random(in: 2...3, using: &random)).map { _ in
                one(of: ["v", "t", "b", "zr", "k", "dr", "gl", "f", "qu"]) + one(of: ["o", "u", "a", "i"])
                    + one(of: ["", "", "v", "b"])
            }.joined() + one(of: ["k", "b", "d", "g"])
        }

        mutating func spelling(of words: [String]) -> String {
            let capitals = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
            let name = one(of: [
                words.joined(separator: "_"), words.joined(separator: "-"), words.joined(separator: "_").uppercased(),
                words[0] + capitals.dropFirst().joined(), capitals.joined(), capitals.joined(separator: "-"),
            ])
            return one(of: ["", "", "", "ns:", "@", "odd1:", "$"]) + name
        }

        mutating func place() -> [String] {
            one(of: [
                [], [], ["meta"], ["pagination"], ["paging"], ["@attr"], ["$"], ["page_info"], ["hydra:pagination"],
                ["meta", "v2", "pagination"], ["response", "pager"],
            ])
        }

        mutating func number() -> EnvelopeScalar {
            one(of: [.number("150"), .text("150"), .text(" 150"), .number("1.5e2"), .number("150.0"), .text("150 ")])
        }
    }

    private static let count = 2_000

    private func extent(_ made: Case, at url: String = "/api/v1/search") throws -> ListingExtent {
        var answer = PageAnswer(
            headerFields: [:], recordCount: 5, envelope: [:], url: try HTTPURL("http://127.0.0.1:8000\(url)"))
        answer.surroundings = [(JSONPath(members: made.path), made.value)]
        return ListingExtent(answer, recordsAt: JSONPath(members: made.records))
    }

    @Test func `a total that is named after the records is found`() throws {
        var maker = Maker(random: SeededGenerator(seed: 1))
        for _ in 0..<Self.count {
            let one = maker.noun()
            let several = one + "s"
            let words = maker.one(of: [
                ["total", several], [several, "total"], [one, "count"], [several, "count"], ["num", several],
                ["number", "of", several], ["count", "of", several], ["total", one, "count"],
                ["total", "number", "of", several],
                [several, "found"], ["matching", several], ["all", several, "count"],
            ])
            let made = Case(
                path: maker.place() + [maker.spelling(of: words)],
                records: maker.one(of: [[several], ["data", several]]),
                value: maker.number())
            #expect(try extent(made).total?.count == 150, "\(made)")
        }
    }

    @Test func `a flag that is named after the records is found`() throws {
        var maker = Maker(random: SeededGenerator(seed: 2))
        for _ in 0..<Self.count {
            let one = maker.noun()
            let several = one + "s"
            let words = maker.one(of: [["has", "more", several], ["more", several], ["more", several, "available"]])
            let made = Case(
                path: maker.place() + [maker.spelling(of: words)], records: [several],
                value: maker.one(of: [.bool(true), .text("True")]))
            #expect(try extent(made).more != nil, "\(made)")
        }
    }

    @Test func `the last step of the URL names the records, too`() throws {
        var maker = Maker(random: SeededGenerator(seed: 3))
        for _ in 0..<Self.count {
            let one = maker.noun()
            let several = one + "s"
            let made = Case(path: [maker.spelling(of: ["total", several])], records: ["items"], value: .number("150"))
            let url = maker.one(of: ["/v1/\(several)", "/\(several)/search", "/\(several).json?q=1"])
            #expect(try extent(made, at: url).total?.count == 150, "\(made) at \(url)")
        }
    }

    @Test func `a name that differs from that of the records has no effect`() throws {
        var maker = Maker(random: SeededGenerator(seed: 5))
        for _ in 0..<Self.count {
            let noun = maker.noun()
            let (records, words) = maker.one(of: [
                (noun, ["total", noun + "s"]),
                (noun, ["total", noun]), (noun + "ies", [noun + "y", "count"]),
            ])
            let made = Case(
                path: maker.place() + [maker.spelling(of: words)], records: [records], value: maker.number())
            #expect(try extent(made).total == nil, "\(made)")
        }
    }

    @Test func `amounts, numbers and totals of other things have no effect`() throws {
        var maker = Maker(random: SeededGenerator(seed: 4))
        for _ in 0..<Self.count {
            let (noun, other) = (maker.noun(), maker.noun() + "x")
            let words = maker.one(of: [
                [noun, "total"], [noun, "number"], [noun, "no"], ["total", other + "s"], [other, "count"],
                [noun + "s", "price", "total"],
                ["next", noun, "date"], [noun + "s", "sold", "count"], ["more", "about", noun + "s"],
            ])
            for value in [EnvelopeScalar.number("900"), .bool(true), .bool(false)] {
                let made = Case(path: [maker.spelling(of: words)], records: [noun + "s"], value: value)
                let extent = try extent(made)
                #expect(
                    extent.total == nil && extent.pages == nil && extent.more == nil && extent.nextPages.isEmpty,
                    "\(made)")
            }
        }
    }
}
