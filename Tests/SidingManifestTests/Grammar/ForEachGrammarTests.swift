// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingJSON
import SidingManifest
import Testing

/// One listing for each record of another resource.
@Suite struct ForEachGrammarTests {
    private static func file(
        _ each: String, path: String = "/issues/{number}/comments", query: String = "{}", more: String = ""
    ) -> String {
        """
        version: 1
        sources: { tracker: { base_url: https://example.com } }
        resources:
          issues: { path: /issues, key: id }
          comments:
            path: \(path)
            for_each: \(each)
            key: id
            query: \(query)
        \(more)
        """
    }

    private static func forEach(_ each: String, path: String = "/issues/{number}/comments") throws -> ForEach? {
        try Fixture.parse(file(each, path: path)).resources[1].forEach
    }

    @Test func `a parent, its bound members, and the number of requests at once are read`() throws {
        let usual = try Self.forEach("{ resource: issues, bind: { number: $.number } }")
        #expect(usual == ForEach("issues", bind: ["number": JSONPath(member: "number")]))
        #expect(usual?.concurrency == 4)
        let own = try Self.forEach("{ resource: issues, where: changed, bind: { number: $.a.b }, concurrency: 32 }")
        #expect(own?.parents == .changed && own?.concurrency == 32)
        #expect(own?.bindings["number"]?.description == "$.a.b")
    }

    @Test(arguments: [
        ("all", ForEach.Parents.all), ("changed", .changed),
        ("{ path: $.state, equals: open }", choice(.isEqual, .text("open"))),
        ("{ path: $.state, not_equals: spam, changed: true }", choice(.isNotEqual, .text("spam"), changed: true)),
        ("{ path: $.state, equals: 7 }", choice(.isEqual, .integer(7))),
        ("{ path: $.state, equals: \"7\" }", choice(.isEqual, .text("7"))),
        ("{ path: $.state, equals: true }", choice(.isEqual, .integer(1))),
        ("{ path: $.state, equals: ~ }", choice(.isEqual, .null)),
        ("{ path: $.state, equals: 1.5 }", choice(.isEqual, .real(1.5))),
        ("{ path: $.state, equals: 99999999999999999999 }", choice(.isEqual, .digits("99999999999999999999"))),
        ("{ query: SELECT id FROM issues }", ForEach.Parents(filter: .query("SELECT id FROM issues"))),
    ])
    func `which of the records are meant`(_ text: String, _ parents: ForEach.Parents) throws {
        let each = try Self.forEach("{ resource: issues, where: \(text), bind: { number: $.number } }")
        #expect(each?.parents == parents)
    }

    private static func choice(
        _ comparison: RecordFilter.Comparison, _ value: RecordValue, changed: Bool = false
    ) -> ForEach.Parents {
        ForEach.Parents(
            areChanged: changed, filter: .members(.compare(JSONPath(member: "state"), comparison, value)))
    }

    @Test(arguments: [
        ("{ resource: issue, bind: { number: $.n } }", "7:27", "which 'resources' does not have"),
        ("{ resource: comments, bind: { number: $.n } }", "7:27", "is the resource itself"),
        ("{ bind: { number: $.n } }", "7:5", "has no 'resource'"),
        ("{ resource: issues }", "7:5", "has no 'bind'"),
        ("{ resource: issues, bind: {} }", "7:41", "is empty"),
        ("{ resource: issues, bind: { number: $.n, x: $.x } }", "7:56", "'x', which no request uses"),
        ("{ resource: issues, bind: { number: \"$.n[*]\" } }", "7:51", "which means several values"),
        ("{ resource: issues, bind: { number: $.n, cursor: $.x } }", "7:56", "the cursor uses"),
        ("{ resource: issues, bind: { number: $.n, 'a b': $.x } }", "7:56", "cannot be used in {braces}"),
        ("{ resource: issues, where: some, bind: { number: $.n } }", "7:42", "is 'some'"),
        ("{ resource: issues, where: { path: $.a }, bind: { number: $.n } }", "7:42", "has no condition"),
        ("{ resource: issues, where: { equals: 1 }, bind: { number: $.n } }", "7:42", "has no condition"),
        (
            "{ resource: issues, where: { path: $.a, equals: 1, not_equals: 2 }, bind: { number: $.n } }", "7:42",
            "has no condition"
        ),
        ("{ resource: issues, concurrency: 0, bind: { number: $.n } }", "7:48", "from 1 to 32"),
        ("{ resource: issues, concurrency: 33, bind: { number: $.n } }", "7:48", "from 1 to 32"),
    ])
    func `an invalid value is a fault in its place`(_ each: String, _ place: String, _ words: String) {
        let faults = Fixture.faults(Self.file(each))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:\(place):") && $0.contains(words) }, "\(faults)")
    }

    @Test func `a placeholder that nothing binds is a fault, in the path as in the query`() {
        let each = "{ resource: issues, bind: { number: $.number } }"
        let path = Fixture.faults(Self.file(each, path: "/issues/{numer}/of/{number}"))
        #expect(path.count == 1)
        #expect(
            path.first?.contains(
                "'{numer}' of 'path' in resource 'comments' is bound by nothing; expected one of {number}")
                == true)
        let query = Fixture.faults(Self.file(each, query: "{ of: \"{issue}\" }"))
        #expect(query.count == 1 && query.first?.hasPrefix("siding.yaml:9:18: ") == true, "\(query)")
        #expect(Fixture.faults(Self.file(each, path: "/comments", query: "{ of: [{ in: \"{number}\" }] }")) == [])
    }

    @Test func `resources that wait for each other are faults`() {
        let text = """
            version: 1
            sources: { tracker: { base_url: https://example.com } }
            resources:
              a: { path: "/a/{x}", key: id, for_each: { resource: c, bind: { x: $.x } } }
              b: { path: "/b/{x}", key: id, for_each: { resource: a, bind: { x: $.x } } }
              c: { path: "/c/{x}", key: id, for_each: { resource: b, bind: { x: $.x } } }
              d: { path: "/d/{x}", key: id, for_each: { resource: c, bind: { x: $.x } } }
            """
        let faults = Fixture.faults(text)
        #expect(faults.count == 3)
        #expect(faults.allSatisfy { $0.contains("neither could come first") }, "\(faults)")
    }
}
