// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Rules about answers that are pages: those that are not whole, and those that are empty.
@Suite struct AnswerRuleTests {
    private static let place = "siding.yaml:9:7"

    private static func rule(
        _ answer: FailureRule.Answer, _ action: FailureRule.Action, on subject: FailureRule.Subject? = .fetch
    ) throws -> FailureRule {
        try FailureRule(when: .answer(answer), do: action, on: subject, place: place)
    }

    private static func body(_ path: String, _ test: FailureRule.TextTest) throws -> FailureRule.Answer {
        .init(body: .init(at: try JSONPath(parsing: path, allowsInnerEach: true), test))
    }

    private static func bench(_ rules: FailureRule..., paging: Paging = .automatic) async throws -> EngineBench {
        var bench = try await ListingEndTests.bench(paging: paging)
        bench.resource.records = try JSONPath(parsing: "$.items")
        bench.resource.source.failureRules = rules
        return bench
    }

    private static func answer(
        _ envelope: String, _ ids: some Sequence<Int>, _ status: HTTPResponse.Status = .ok,
        _ fields: [(String, String)] = []
    ) -> ScriptedAnswer {
        let answer = ListingEndTests.answer(envelope, ids, fields)
        guard case .reply(var response, let chunks, let ending) = answer else { return answer }
        response.status = status
        return .reply(response, chunks: chunks, ending: ending)
    }

    // MARK: partial

    private static let most = 1...14
    private static let pad = String(repeating: "x", count: 100_000)

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6])
    func `an answer that a rule calls partial is stored, and makes its listing incomplete`(_ number: Int) async throws {
        let degraded = HTTPField.Name("X-Degraded")!
        let cases: [(FailureRule.Answer, ScriptedAnswer)] = [
            (
                .init(header: .init(at: degraded, .exists(true))),
                Self.answer(#"{"items":ITEMS}"#, Self.most, .ok, [("X-Degraded", "1")])
            ),
            (
                try Self.body("$.meta.stale", .equals("true")),
                Self.answer(#"{"items":ITEMS,"meta":{"stale":true}}"#, Self.most)
            ),
            (
                try Self.body("$.notes[*].code", .equals("STALE")),
                Self.answer(#"{"notes":[{"code":"STALE"}],"items":ITEMS}"#, Self.most)
            ),
            (.init(statuses: [203]), Self.answer(#"{"items":ITEMS}"#, Self.most, .nonAuthoritativeInformation)),
            (.init(statuses: [202]), Self.answer(#"{"items":ITEMS}"#, Self.most, .accepted)),
            // Larger than what other rules look at.
            (
                try Self.body("$.stale", .exists(true)),
                Self.answer(#"{"pad":"\#(Self.pad)","items":ITEMS,"stale":1}"#, Self.most)
            ),
            // Without a list.
            (try Self.body("$.message", .contains("warming up")), Self.answer(#"{"message":"warming up"}"#, [])),
        ]
        let (condition, lie) = cases[number]
        try await ListingEndTests.expectIncomplete(
            lie, Self.bench(Self.rule(condition, .partial)), because: "\(Self.place) says partial",
            remedy: "nothing was deleted")
    }

    @Test func `the pages behind it are read, and the origin's own message is reported`() async throws {
        let bench = try await Self.bench(Self.rule(Self.body("$.stale", .equals("true")), .partial))
        let first = #"{"items":ITEMS,"stale":true,"message":"the index is being built","next":"/posts?page=2"}"#
        bench.origin.set("/posts", Self.answer(first, 1...5))
        bench.origin.set("/posts?page=2", Self.answer(#"{"items":ITEMS}"#, 6...9))
        let report = try await bench.sync()
        #expect(report.result.outcome == .partial && report.result.counters.inserted == 9)
        let warning = report.warnings.first { $0.hasPrefix("incomplete: ") } ?? ""
        #expect(warning.contains("says partial: the index is being built"), "\(warning)")
        #expect(!warning.contains("trust_end"))
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `trust_end overrules answers, not rules`() async throws {
        var bench = try await Self.bench(Self.rule(Self.body("$.stale", .equals("true")), .partial))
        bench.resource.stop.trustsEnd = true
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":15,"stale":true}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .partial)
        bench.origin.set("/posts", Self.answer(#"{"items":ITEMS,"total":15,"stale":false}"#, 1...5))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a rule before it that makes a failure decides`() async throws {
        let condition = try Self.body("$.stale", .equals("true"))
        let lie = Self.answer(#"{"items":ITEMS,"stale":true}"#, 1...5)
        let failing = try await Self.bench(Self.rule(condition, .retry), Self.rule(condition, .partial))
        failing.origin.set("/posts", lie)
        #expect(try await failing.sync().result.outcome == .queued)
        let storing = try await Self.bench(Self.rule(condition, .partial), Self.rule(condition, .retry))
        storing.origin.set("/posts", lie)
        #expect(try await storing.sync().result.outcome == .partial)
    }

    // MARK: 202

    @Test(arguments: [
        (FailureRule.Action.retry, RunOutcome.queued), (.queue, .queued), (.fail, .failed), (.ignore, .saved),
        (.empty, .saved), (.partial, .partial),
    ])
    func `202 may have a rule of its own`(action: FailureRule.Action, outcome: RunOutcome) async throws {
        for body in ["[]", "{}", "null", ""] {
            let bench = try await Self.bench(Self.rule(.init(statuses: [202]), action))
            bench.origin.set("/posts", Self.answer(body, [], .accepted))
            let report = try await bench.sync()
            #expect(report.result.outcome == outcome, "\(body)")
            #expect(try await (bench.state().completedAt != nil) == (action == .empty))
        }
    }

    // MARK: empty

    /// What parents without records are answered.
    private static let empties: [ScriptedAnswer] = [
        .status(.noContent), .status(.resetContent), .status(.notFound),
        .text("Git Repository is empty.", status: .conflict, headerFields: [.contentType: "text/plain"]),
        .text(#"{"message":"no tasks"}"#), .text(#"{"tasks":null}"#),
    ]

    @Test(arguments: empties, [true, false])
    func `a parent that is empty by a rule does not keep others from being deleted`(
        empty: ScriptedAnswer, isRuled: Bool
    ) async throws {
        let bench = try await EngineBench(ScriptedOrigin())
        var tasks = bench.resource
        (tasks.name, tasks.path, tasks.records) = ("tasks", "/posts/{post}/tasks", .root)
        tasks.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")], concurrency: 1)
        tasks.deletions = Deletions(byAbsence: true, most: 0.9)
        if isRuled {
            tasks.source.failureRules = [
                try Self.rule(.init(statuses: [204, 205, 404, 409]), .empty),
                try Self.rule(Self.body("$.message", .equals("no tasks")), .empty),
                try Self.rule(Self.body("$.tasks", .equals("null")), .empty),
            ]
        }
        bench.origin.set("/posts", .text(#"[{"id":1},{"id":2},{"id":3}]"#))
        bench.origin.set("/posts/1/tasks", .text(#"[{"id":11},{"id":12},{"id":13}]"#))
        bench.origin.set("/posts/2/tasks", empty)
        bench.origin.set("/posts/3/tasks", empty)
        var deleted = 0
        for round in 0..<5 {
            if round == 2 { bench.origin.set("/posts/1/tasks", .text(#"[{"id":11},{"id":13}]"#)) }
            bench.time.advance(by: .seconds(4000))
            let report = try #require(try await bench.engine().run([bench.resource, tasks]).last)
            deleted += report.result.counters.deleted
            if isRuled { #expect(report.result.outcome == .saved || report.result.outcome == .notModified) }
        }
        // A parent that is answered 404 lists nothing in any case.
        if isRuled { #expect(deleted == 1) } else if !empty.isNotFound { #expect(deleted == 0) }
    }

    @Test(arguments: [(#""has_more":true,"#, true), (#""total":15,"#, false)])
    func `an empty page ends a listing, unless the origin reported more records`(
        sign: String, isWhole: Bool
    ) async throws {
        let bench = try await Self.bench(Self.rule(.init(statuses: [404]), .empty))
        bench.origin.set("/posts", Self.answer(#"{\#(sign)"items":ITEMS,"next":"/posts?page=2"}"#, 1...5))
        bench.origin.set("/posts?page=2", .status(.notFound))
        let report = try await bench.sync()
        #expect(report.result.outcome == (isWhole ? .saved : .partial), "\(report.warnings)")
        #expect(isWhole || report.warnings.contains { $0.contains("5 of 15 records ($.total)") })
        #expect(try await (bench.state().completedAt != nil) == isWhole)
    }

    @Test func `a rule about empty pages does not concern a verified record`() async throws {
        let empty = try Self.rule(.init(statuses: [404]), .empty)
        let bench = try await EngineBench.listed { resource in
            resource.deletions.recordPath = "/posts/{id}"
            resource.source.failureRules = [empty]
        }
        for id in 1...5 { bench.origin.set("/posts/\(id)", .status(id == 2 ? .notFound : .internalServerError)) }
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["2"])
    }
}

extension ScriptedAnswer {
    fileprivate var isNotFound: Bool {
        if case .reply(let response, _, _) = self { response.status == .notFound } else { false }
    }
}
