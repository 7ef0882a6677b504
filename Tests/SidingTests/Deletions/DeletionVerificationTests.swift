// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Where the origin is asked for each record that a listing lacks.
@Suite struct DeletionVerificationTests {
    /// Five records on three pages, listed whole once, each to be found at `/posts/ID`.
    private func listed(
        _ change: (inout AnyResource) -> Void = { _ in }
    ) async throws -> EngineBench {
        var bench = try await EngineBench()
        bench.resource.deletions = Deletions(byAbsence: true, recordPath: "/posts/{id}")
        change(&bench.resource)
        for id in 1...5 { bench.origin.set("/posts/\(id)", .text(#"{"id":\#(id)}"#)) }
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(asked(bench) == [])
        return bench
    }

    /// The records that were asked for since the last look.
    private func asked(_ bench: EngineBench) -> [String] {
        bench.origin.takeTargets().filter { $0.hasPrefix("/posts/") }.sorted()
    }

    private func set(_ bench: EngineBench, _ first: String, _ second: String = "[3,4]") {
        bench.origin.set("/posts", ScriptedOrigin.page(first, next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page(second, next: "/posts?page=3"))
    }

    @Test(arguments: [HTTPResponse.Status.notFound, .gone])
    func `a record that answers 404 or 410 is deleted at once, and no other is verified`(
        _ status: HTTPResponse.Status
    ) async throws {
        let bench = try await listed()
        set(bench, "[1]")
        bench.origin.set("/posts/2", .status(status))
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 1 && report.result.outcome == .saved)
        #expect(asked(bench) == ["/posts/2"])
        #expect(try await bench.keys() == ["1", "3", "4", "5"])
        // What was asked counts as a request of the run.
        #expect(report.result.counters.requests == 4)
        #expect(try await bench.lastRun().resources.first?.counters == report.result.counters)
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(asked(bench) == [])
    }

    @Test func `a record that the origin still has stays after any listings without it, and is verified once a day`()
        async throws
    {
        let bench = try await listed()
        set(bench, "[1]")
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(asked(bench) == ["/posts/2"])
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        bench.time.advance(by: .seconds(86_401))
        bench.origin.set("/posts/2", .status(.notFound))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(asked(bench) == ["/posts/2"])
    }

    @Test func `an answer with the mark of deleted records is a no`() async throws {
        let bench = try await listed { $0.deletions.mark = DeletionMark(JSONPath(member: "deleted")) }
        set(bench, "[1]", "[4]")
        bench.origin.set("/posts/2", .text(#"{"id":2,"deleted":true}"#))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "3", "4", "5"])
    }

    @Test func `a record without an answer stays, is reported, and does not delay the others`() async throws {
        let bench = try await listed { $0.deletions.most = 0.8 }
        set(bench, "[]", "[3]")
        bench.origin.set("/posts/1", .status(.notFound))
        bench.origin.set("/posts/2", .status(.internalServerError))
        bench.origin.set("/posts/4", .status(.notFound))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.deleted == 2)
        #expect(
            report.warnings.contains { $0.contains("could not verify whether '2' was deleted") && $0.contains("500") })
        #expect(asked(bench) == ["/posts/1", "/posts/2", "/posts/4"])
        bench.origin.set("/posts/2", .status(.notFound))
        bench.time.advance(by: .seconds(86_401))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(asked(bench) == ["/posts/2"])
        #expect(try await bench.keys() == ["3", "5"])
    }

    // MARK: Answers that tell nothing

    @Test(
        arguments: [FailureRule.Action.fail, .park, .ignore, .quarantine, .queue, .retry, .resetCursor]
    )
    func `an answer that a rule matches confirms nothing, and is reported`(_ action: FailureRule.Action) async throws {
        let maintenance = FailureRule.Condition.answer(
            .init(statuses: [404], body: .init(at: JSONPath(member: "error"), .equals("maintenance"))))
        let rule = try FailureRule(when: maintenance, do: action)
        let bench = try await listed { $0.source.failureRules = [rule] }
        set(bench, "[1]", "[4]")
        bench.origin.set("/posts/2", .text(#"{"error":"maintenance"}"#, status: .notFound))
        bench.origin.set("/posts/3", .text(#"{"error":"not found"}"#, status: .notFound))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.deleted == 1)
        #expect(
            report.warnings.contains {
                $0.contains("could not verify whether '2' was deleted") && $0.contains("404")
                    && $0.contains("says \(action.rawValue)")
            }, "\(report.warnings)")
        #expect(asked(bench) == ["/posts/2", "/posts/3"])
        #expect(try await bench.keys() == ["1", "2", "4", "5"])
        #expect(try await bench.store.gates() == [])
        #expect(try await bench.queue() == [])
        bench.origin.set("/posts/2", .status(.notFound))
        bench.time.advance(by: .seconds(86_401))
        #expect(try await bench.sync().result.counters.deleted == 1)
        #expect(asked(bench) == ["/posts/2"])
    }

    @Test(
        arguments: [(FailureRule.Action.rateLimited, SourceGate.Reason.retryAfter), (.refreshToken, .signIn)])
    func `an answer that a rule takes for a wait or a sign-in ends the verification`(
        _ ruled: (action: FailureRule.Action, gate: SourceGate.Reason)
    ) async throws {
        let rule = try FailureRule(when: .answer(.init(statuses: [404])), do: ruled.action)
        let bench = try await listed { $0.source.failureRules = [rule] }
        set(bench, "[1]", "[4]")
        bench.origin.set("/posts/2", .status(.gone))
        bench.origin.set("/posts/3", .status(.notFound))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.deleted == 0)
        #expect(
            report.warnings.contains {
                $0.contains("could not verify whether '3' was deleted")
                    && $0.hasSuffix(
                        "It is kept; 1 more was not checked")
            }, "\(report.warnings)")
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        #expect(try await bench.store.gates().map(\.reason) == [ruled.gate])
    }

    @Test func `a 401 to one verification concerns that record, as the listing was accepted`() async throws {
        let bench = try await listed()
        set(bench, "[1]", "[4]")
        bench.origin.set("/posts/2", .status(.unauthorized))
        bench.origin.set("/posts/3", .status(.notFound))
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 1)
        #expect(
            report.warnings.contains { $0.contains("could not verify whether '2' was deleted") && $0.contains("401") })
        #expect(try await bench.keys() == ["1", "2", "4", "5"])
        #expect(try await bench.store.gates() == [])
    }

    @Test func `where every verification answers 401 they end, all records stay, and the source needs a sign-in`()
        async throws
    {
        let bench = try await listed { $0.paging = .none }
        bench.origin.set("/posts", ScriptedOrigin.page("[\((1...30).map(String.init).joined(separator: ","))]"))
        _ = try await bench.sync()
        bench.origin.set("/posts", ScriptedOrigin.page("[\((1...20).map(String.init).joined(separator: ","))]"))
        for id in 21...30 { bench.origin.set("/posts/\(id)", .status(.unauthorized)) }
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 0)
        #expect(asked(bench).count == 8)
        #expect(report.warnings.contains { $0.contains("2 more were not checked") }, "\(report.warnings)")
        #expect(try await bench.store.gates().map(\.reason) == [.signIn])
        #expect(try await bench.keys().count == 30)
    }

    @Test(
        arguments: [
            ScriptedAnswer.status(.noContent), .text("{}"), .text("[]"), .text("<b>2</b>"),
            .text(#"{"id":3,"also":[20,"02"]}"#),
        ])
    func `an answer without the record is reported, deletes nothing, and is not requested again on the same day`(
        _ answer: ScriptedAnswer
    ) async throws {
        let bench = try await listed()
        set(bench, "[1]", "[4]")
        bench.origin.set("/posts/2", answer)
        bench.origin.set("/posts/3", .status(.notFound))
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 1)
        #expect(
            report.warnings.contains {
                $0.contains("could not verify whether '2' was deleted") && $0.contains("without this record")
            },
            "\(report.warnings)")
        #expect(asked(bench) == ["/posts/2", "/posts/3"])
        #expect(try await bench.sync().warnings == [] && asked(bench) == [])
        #expect(try await bench.keys() == ["1", "2", "4", "5"])
        bench.time.advance(by: .seconds(86_401))
        bench.origin.set("/posts/2", .text(#"{"data":[{"id":"2"}]}"#))
        #expect(try await bench.sync().warnings == [] && asked(bench) == ["/posts/2"])
        #expect(try await bench.keys() == ["1", "2", "4", "5"])
    }

    @Test func `a record whose verification fails does not delay the others, and is verified once a day`()
        async throws
    {
        let bench = try await listed { ($0.paging, $0.deletions.most) = (.none, 0.9) }
        let all = (1...30).map(String.init).joined(separator: ",")
        bench.origin.set("/posts", ScriptedOrigin.page("[\(all)]"))
        _ = try await bench.sync()
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3,4,5,6,7,8,9,10]"))
        for id in 11...18 { bench.origin.set("/posts/\(id)", .status(.internalServerError)) }
        for id in 19...30 { bench.origin.set("/posts/\(id)", .status(.notFound)) }
        _ = bench.origin.takeTargets()
        // Eight failures in a row end the questions of the first run.
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(asked(bench).count == 8)
        bench.time.advance(by: .seconds(4_000))
        #expect(try await bench.sync().result.counters.deleted == 12)
        #expect(asked(bench).count == 12)
        bench.time.advance(by: .seconds(86_401))
        _ = try await bench.sync()
        #expect(asked(bench).count == 8)
    }

    @Test func `records that the origin still has are verified in turn`() async throws {
        let bench = try await listed { ($0.paging, $0.deletions.most) = (.none, 0.9) }
        let all = 1...(2 * DeletionVerification.mostPerRun + 5)
        bench.origin.set("/posts", ScriptedOrigin.page("[\(all.map(String.init).joined(separator: ","))]"))
        for id in all { bench.origin.set("/posts/\(id)", .text(#"{"id":\#(id)}"#)) }
        _ = try await bench.sync()
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3,4,5]"))
        var options = SyncOptions()
        options.acceptsDeletes = true
        var seen: [Set<String>] = []
        for _ in 0..<4 {
            _ = bench.origin.takeTargets()
            _ = try await bench.sync(options)
            seen.append(Set(asked(bench)))
            // Longer than a day, so that all are due again.
            bench.time.advance(by: .seconds(86_401))
        }
        #expect(seen[0].isDisjoint(with: seen[1]) && seen[2] == seen[0] && seen[3] == seen[1])
    }

    // MARK: Runs and passes

    @Test func `the answers of an interrupted run are requested again: the record may be back`() async throws {
        let bench = try await listed { $0.deletions.most = 0.8 }
        set(bench, "[]", "[3]")
        bench.origin.set("/posts/1", .status(.notFound))
        bench.origin.set("/posts/2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        bench.origin.set("/posts/4", .status(.notFound))
        #expect(try await bench.sync().result.counters.deleted == 0)
        bench.origin.set("/posts/1", .text(#"{"id":1}"#))
        bench.origin.set("/posts/2", .status(.notFound))
        #expect(try await bench.sync().result.counters.deleted == 2)
        #expect(try await bench.keys() == ["1", "3", "5"])
    }

    @Test func `the guard comes before verification: where too many are missing, none is requested`() async throws {
        let all = 10..<40
        let bench = try await listed { $0.paging = .none }
        bench.origin.set("/posts", ScriptedOrigin.page("[\(all.map(String.init).joined(separator: ","))]"))
        _ = try await bench.sync()
        bench.origin.set("/posts", ScriptedOrigin.page("[10,11]"))
        for id in 1...5 { bench.origin.set("/posts/\(id)", .status(.notFound)) }
        _ = bench.origin.takeTargets()
        // What was there yesterday is asked for again.
        bench.time.advance(by: .seconds(86_401))
        for _ in 0..<2 {
            let blocked = try await bench.sync()
            #expect(blocked.result.counters.deletionsBlocked > 10 && blocked.result.counters.deleted == 0)
            #expect(asked(bench) == [])
        }
        let gone = try await bench.store.missingKeys(of: "posts", limit: 99).count
        var options = SyncOptions()
        options.acceptsDeletes = true
        let accepted = try await bench.sync(options)
        #expect(accepted.result.counters.deleted == gone && accepted.result.counters.deletionsBlocked == 0)
        #expect(try await bench.keys() == ["10", "11"])
    }

    @Test func `an empty listing of 3,000 records verifies none, or a thousand where the operator accepts`()
        async throws
    {
        var bench = try await EngineBench()
        bench.resource.deletions = Deletions(byAbsence: true, recordPath: "/posts/{id}")
        let all = ScriptedOrigin.page("[\((1...3_000).map(String.init).joined(separator: ","))]")
        for id in 1...3_000 { bench.origin.set("/posts/\(id)", .text(#"{"id":\#(id)}"#)) }
        bench.origin.set("/posts", all)
        for _ in 0..<2 { _ = try await bench.sync() }
        bench.origin.set("/posts", ScriptedOrigin.page("[]"))
        #expect(try await bench.sync().result.counters.deletionsBlocked == 3_000)
        #expect(asked(bench) == [])
        var accepting = SyncOptions()
        accepting.acceptsDeletes = true
        #expect(try await bench.sync(accepting).result.counters.deleted == 0)
        let first = asked(bench)
        #expect(first.count == DeletionVerification.mostPerRun)
        // None of them is asked about again the same day, and none at all once the listing is back.
        _ = try await bench.sync(accepting)
        #expect(Set(asked(bench)).isDisjoint(with: first))
        bench.origin.set("/posts", all)
        #expect(try await bench.sync(accepting).result.counters.deleted == 0)
        #expect(asked(bench) == [])
        #expect(try await bench.store.count(of: "posts").count == 3_000)
    }

    @Test func `a run verifies a thousand missing records at most, and the next one continues`() async throws {
        let bench = try await listed { ($0.paging, $0.deletions.most) = (.none, 0.9) }
        func list(_ ids: ClosedRange<Int>) {
            bench.origin.set("/posts", ScriptedOrigin.page("[\(ids.map(String.init).joined(separator: ","))]"))
        }
        list(1...2_500)
        _ = try await bench.sync()
        list(1...1_300)
        _ = bench.origin.takeTargets()
        let first = try await bench.sync()
        #expect(first.result.counters.deleted == DeletionVerification.mostPerRun)
        #expect(asked(bench).count == DeletionVerification.mostPerRun)
        #expect(first.result.notes.contains { $0.contains("200 more missing records were not verified") })
        let second = try await bench.sync()
        #expect(second.result.counters.deleted == 200 && asked(bench).count == 200)
    }
}
