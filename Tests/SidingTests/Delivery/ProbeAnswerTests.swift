// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@testable import Siding

/// What of an origin's answers is believed: neither a list that was not looked through, nor an array that means nothing.
@Suite struct ProbeAnswerTests {
    private static let listed = WriteProbe("/orders?ref={entry}", mark: JSONPath(member: "ref"))
    private static let direct = WriteProbe("/orders/by-key/{key}")

    private static func answer(_ text: String, to probe: WriteProbe) throws -> ProbeAnswer {
        ProbeAnswer(try JSONDocument(text), to: probe, asking: "x1")
    }

    @Test(arguments: [
        #"[{"id":7,"ref":"x1"}]"#, #"{"total":1,"items":[{"id":7,"ref":"x1"}]}"#, #"{"id":7,"ref":"x1","tags":[]}"#,
        #"[{"id":1,"ref":"other"},{"id":7,"ref":"x1"}]"#,
    ])
    func `a record that carries the mark is there`(text: String) throws {
        guard case .there(let record) = try Self.answer(text, to: Self.listed) else {
            Issue.record("\(text)")
            return
        }
        #expect(record?.value(at: JSONPath(member: "id"))?.digits == "7")
    }

    @Test func `a mark that several records carry counts as found, and identifies none of them`() throws {
        let twice = #"[{"id":7,"ref":"x1"},{"id":8,"ref":"x1"}]"#
        #expect(try Self.answer(twice, to: Self.listed) == .there(nil))
    }

    @Test(arguments: ["[]", #"{"total":0,"items":[]}"#])
    func `an empty list means that the write is missing`(text: String) throws {
        #expect(try Self.answer(text, to: Self.listed) == .notThere)
    }

    @Test(arguments: [
        #"{"order":{"id":7,"client":"x1"},"warnings":[]}"#, #"{"order":{"id":7},"warnings":[]}"#,
        #"{"asked":"x1","items":[]}"#, #"[{"id":1},{"id":2}]"#, #"[{"id":1,"ref":"other"}]"#, #"[{"id":1,"ref":1}]"#,
        #"{"a":[],"b":[]}"#, "{}",
        #"{"message":"none"}"#, "1", "null", #""x1""#, "[1]",
    ])
    func `an answer that did not search for the mark is inconclusive`(text: String) throws {
        guard case .unclear = try Self.answer(text, to: Self.listed) else {
            Issue.record("\(text)")
            return
        }
    }

    @Test func `the record at the URL's path is the record itself, with any arrays in it`() throws {
        let record = #"{"id":7,"tags":[]}"#
        #expect(try Self.answer(record, to: Self.direct) == .there(JSONDocument(record)))
        #expect(try Self.answer("[]", to: Self.direct) == .notThere)
        guard case .unclear = try Self.answer(#"[{"id":1},{"id":2}]"#, to: Self.direct),
            case .unclear = try Self.answer("{}", to: Self.direct)
        else {
            Issue.record("two records, or none of a kind, were taken for the one")
            return
        }
    }

    @Test func `records are looked for where they are declared to be, and nowhere else`() throws {
        var probe = Self.listed
        probe.records = try JSONPath(parsing: "$.data.items[*]")
        #expect(try Self.answer(#"{"data":{"items":[]},"more":[1]}"#, to: probe) == .notThere)
        #expect(try Self.answer(#"{"data":{"items":null}}"#, to: probe) == .notThere)
        guard case .unclear = try Self.answer("[]", to: probe) else {
            Issue.record("an array elsewhere was taken for the records")
            return
        }
        probe.records = try JSONPath(parsing: "$.data")
        let record = #"{"ref":"x1"}"#
        #expect(try Self.answer(#"{"data":\#(record)}"#, to: probe) == .there(JSONDocument(record)))
    }

    @Test(arguments: [
        ("/orders", "neither {entry} nor {key}"), ("/orders?a={entry}&b={key}", "both"),
        ("/orders?a={entry}", "which member"),
        ("/orders/{entry}", "which member"), ("/orders?a={key}", "which member"), ("/orders/{nme}", "{nme}"),
        ("/orders/{key", "{key"),
    ])
    func `a probe whose answer is not conclusive is a fault`(path: String, words: String) {
        #expect(WriteProbe(path).fault?.contains(words) == true)
    }

    @Test func `values in the path are percent-encoded`() {
        let probe = WriteProbe("/orders/{id}/by/{key}", id: "a/b")
        #expect(probe.fault == nil)
        #expect(probe.path(entry: "e", key: "k {id}&") == "/orders/a%2Fb/by/k%20%7Bid%7D%26")
    }

    @Test func `a body carries the mark beside what it has, byte for byte`() {
        let probe = WriteProbe("/orders?q={entry}", mark: JSONPath(members: ["meta", "ref"]))
        let body = Array(#"{ "n": 1.50, "meta": {"a":1} }"#.utf8)
        let marked = probe.marked(body, entry: "x1", key: "k").map { String(decoding: $0, as: UTF8.self) }
        #expect(marked?.contains("1.50") == true && marked?.contains(#""ref":"x1""#) == true)
        #expect(marked?.contains(#""a":1"#) == true)
    }
}
