// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingJSON
import SidingManifest
import Testing

@Suite struct FailureRuleGrammarTests {
    private static func file(_ errors: String) -> String {
        """
        version: 1
        sources:
          a:
            base_url: https://example.com/v1
            errors:
              - \(errors)
        resources: { issues: { path: /issues, key: id } }
        """
    }

    @Test func `every key of failure rules is read, in order`() throws {
        let rules = try #require(try Fixture.parse(FullConfig.text).sources.first { $0.name == "mail" }).failureRules
        #expect(rules.map(\.action) == [.rateLimited, .resetCursor, .ignore, .retry, .park])
        #expect(rules.map(\.subject) == [nil, nil, .fetch, .write, nil])
        guard case .answer(let limited) = rules[0].condition, case .answer(let expired) = rules[1].condition,
            case .answer(let gone) = rules[2].condition, case .answer(let faulty) = rules[4].condition
        else {
            Issue.record("all but the fourth speak of answers")
            return
        }
        #expect(limited.statuses == [403] && limited.header?.place.canonicalName == "x-ratelimit-remaining")
        #expect(limited.header?.test == .equals("0"))
        #expect(expired.body?.place.description == "$.error.code")
        #expect(expired.body?.test == .contains("EXPIRED"))
        #expect(gone.statuses == [404, 410])
        #expect(rules[3].condition == .failure([.timeout, .connectionLost]))
        #expect(faulty.header?.test == .exists(true) && faulty.body?.test == .exists(true))
        #expect(faulty.body?.place.description == "$.errors[*].code")
        #expect(rules[0].place.hasPrefix("siding.yaml:"))
    }

    @Test func `the rules of a resource are for its fetches, and come before those of its source`() throws {
        let rules = "errors: [{ when: { status: 422 }, do: quarantine }, { when: { status: 404 }, do: ignore }]"
        let text = Self.file("{ when: { status: 404 }, do: fail }")
            .replacing("key: id }", with: "key: id, \(rules) }")
        let config = try Fixture.parse(text)
        let source = try #require(config.resources.first?.source)
        #expect(source.failureRules.map(\.action) == [.quarantine, .ignore, .fail])
        #expect(source.failureRules.map(\.subject) == [.fetch, .fetch, nil])
        #expect(config.sources.first?.failureRules.map(\.action) == [.fail])
        let faults = Fixture.faults(text.replacing("do: quarantine", with: "do: retry, on: write"))
        #expect(faults.contains { $0.contains("on writes") && $0.contains("the source") }, "\(faults)")
    }

    @Test(arguments: [
        ("{ when: { status: 202 }, do: retry }", FailureRule.Action.retry),
        ("{ when: { status: 202 }, do: partial }", .partial), ("{ when: { status: [204, 409] }, do: empty }", .empty),
        ("{ when: { body: { path: $.degraded, equals: true } }, do: partial, on: fetch }", .partial),
        ("{ when: { body: { path: $.errors, exists: true } }, do: ignore, on: write }", .ignore),
    ])
    func `a rule may be about a success`(_ rule: String, _ action: FailureRule.Action) throws {
        #expect(try Fixture.parse(Self.file(rule)).sources.first?.failureRules.map(\.action) == [action])
    }

    @Test(arguments: [
        ("{ do: retry }", "has no 'when'"),
        ("{ when: { status: 404 } }", "has no 'do'"),
        ("{ when: { status: 404 }, do: drop }", "is 'drop'"),
        ("{ when: { status: 700 }, do: retry }", "is '700'"),
        ("{ when: {}, do: retry }", "the rule has no condition"),
        ("{ when: { status: 200 }, do: park }", "every success"),
        ("{ when: { error: timeout, status: 404 }, do: retry }", "combines error, for failures without an answer"),
        ("{ when: { error: offline }, do: retry }", "is 'offline'"),
        ("{ when: { error: timeout }, do: ignore }", "needs a condition on the answer"),
        ("{ when: { status: 404 }, do: ignore, on: write }", "is for answers with a success status"),
        ("{ when: { status: 404 }, do: partial }", "is for answers with a success status"),
        ("{ when: { status: 204 }, do: empty, on: write }", "is for fetches"),
        ("{ when: { body: { path: $.a } }, do: retry }", "needs exactly one test"),
        ("{ when: { body: { path: $.a, equals: 1, contains: 2 } }, do: retry }", "needs exactly one test"),
        ("{ when: { body: { path: a, equals: 1 } }, do: retry }", "$.a"),
        ("{ when: { header: { equals: 1 } }, do: retry }", "has no 'name'"),
    ])
    func `a rule that cannot be is a fault in its place`(_ rule: String, _ words: String) {
        let faults = Fixture.faults(Self.file(rule))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:6:") && $0.contains(words) }, "\(faults)")
    }
}
