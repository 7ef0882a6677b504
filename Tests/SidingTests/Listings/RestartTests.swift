// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

@Suite struct RestartTests {
    /// What an origin answers that has forgotten a page, other than by a status.
    private static let noPages = [
        #"{"error":"ITERATOR_NOT_AVAILABLE"}"#, #"{"error":{"code":7,"message":"token expired"}}"#, "{}", "7",
        #"{"errors":[{"message":"invalid cursor"}],"data":null}"#, #"{"errors":["expired"],"warnings":[]}"#,
        #""expired""#,
    ]

    /// A bench whose listing stopped at page 2.
    private func stopped(_ change: (inout AnyResource) -> Void = { _ in }) async throws -> EngineBench {
        let origin = ScriptedOrigin.posts()
        origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: #""a""#))
        origin.set("/posts?page=2", .status(.internalServerError))
        var bench = try await EngineBench(origin)
        change(&bench.resource)
        _ = try await bench.sync()
        _ = origin.takeTargets()
        return bench
    }

    @Test(arguments: [400, 404, 410, 422])
    func `a checkpoint that the origin refuses is dropped, and the listing restarts in the same run`(
        _ status: Int
    ) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.init(code: status)))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains("restarted: the origin refused page 2 with \(status)"))
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=3"])
        #expect(report.result.counters.requests == 3)
        #expect(try await bench.keys() == ["1", "2", "5"])
        #expect(try await bench.queue() == [])
        #expect(try await bench.lastRun().resources == [report.result])
    }

    @Test func `so is one that is forbidden, where the origin gives the first page`() async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.forbidden))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(
            report.result.notes.contains("restarted: the origin refused page 2 with 403, and gives the first one"))
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts", "/posts?page=3"])
        #expect(report.result.counters.requests == 4)
        #expect(try await bench.keys() == ["1", "2", "5"])
    }

    @Test func `a checkpoint stays where the origin forbids the first page, too`() async throws {
        let bench = try await stopped()
        for path in ["/posts", "/posts?page=2"] { bench.origin.set(path, .status(.forbidden)) }
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts"])
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test(arguments: noPages)
    func `so is a checkpoint that no longer leads to a page, with any answer in its place`(
        _ answer: String
    ) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .text(answer))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains { $0.hasPrefix("restarted: page 2 no longer has a list of records: ") })
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=3"])
        #expect(try await bench.keys() == ["1", "2", "5"])
        #expect(try await bench.queue() == [])
    }

    @Test(arguments: ["token expired", #"[{"id":3},oops]"#, "ok\n", #"{"id":3}{"#])
    func `so is one that leads to what is no JSON, where the origin gives the first page`(_ answer: String) async throws
    {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .text(answer))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(
            report.result.notes.contains(
                "restarted: the origin answered page 2 with what is no JSON, and gives the first one"))
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts", "/posts?page=3"])
        #expect(try await bench.keys() == ["1", "2", "5"])
        #expect(try await bench.queue() == [])
    }

    @Test func `a checkpoint stays where the first page is no JSON either, as behind some proxies`() async throws {
        let bench = try await stopped()
        for path in ["/posts", "/posts?page=2"] { bench.origin.set(path, .text("no route")) }
        #expect(try await bench.sync().result.outcome == .failed)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test func `so is one whose page has no records, as some origins answer so for a token that they have forgotten`()
        async throws
    {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .text("[]"))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains("restarted: page 2 has no records; an earlier listing named it"))
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=3"])
        #expect(try await bench.keys() == ["1", "2", "5"])
    }

    @Test func `a listing restarts once where a page behind an unchanged one has lost its records`() async throws {
        let bench = try await EngineBench(ScriptedOrigin())
        let first = ScriptedOrigin.page("[1,2]", next: "/posts?token=a", etag: #""1""#)
        bench.origin.set("/posts", first, .status(.notModified), first, .status(.notModified))
        bench.origin.set("/posts?token=a", ScriptedOrigin.page("[3]"), ScriptedOrigin.page("[]"))
        #expect(try await bench.sync().result.outcome == .saved)
        _ = bench.origin.takeTargets()
        let report = try await bench.sync()
        #expect(report.result.notes.contains("restarted: page 2 has no records; an earlier listing named it"))
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?token=a", "/posts", "/posts?token=a"])
        // Now it is stored without records, so it is believed.
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?token=a"])
    }

    @Test func `stop: empty_page takes an empty page for the end, also where a listing is resumed`() async throws {
        let bench = try await stopped { $0.stop.endsOnEmptyPage = true }
        bench.origin.set("/posts?page=2", .text("[]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
    }

    @Test func `a rule with empty does not end the listing at a checkpoint that the origin refuses`() async throws {
        let empty = try FailureRule(when: .answer(.init(statuses: [404, 410])), do: .empty)
        let bench = try await stopped { $0.source.failureRules = [empty] }
        bench.origin.set("/posts?page=2", .status(.gone))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains("restarted: the origin refused page 2 with 410"))
        #expect(try await bench.keys() == ["1", "2", "5"])
        // It is the end where the same run has read the page before it.
        bench.origin.set("/posts?page=3", .status(.gone))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.checkpoint() == nil)
    }

    @Test
    func `a restarted listing sends no conditions, as stored pages lead to the page that was refused`()
        async throws
    {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.gone))
        bench.origin.set("/posts", ScriptedOrigin.page("[1]"))
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil, nil])
    }

    @Test(arguments: [ScriptedAnswer.status(.notFound), .text(#"{"error":"gone"}"#)])
    func `it restarts once, and loses no saved record`(_ answer: ScriptedAnswer) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", answer)
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=2"])
        #expect(try await bench.queue() == [])
        #expect(try await bench.keys() == ["1", "2"])
        #expect(try await bench.checkpoint() == 2)
    }

    @Test func `a page whose records the contract refuses is a page: it is requested again`() async throws {
        let bench = try await stopped { $0.schema.contract.missingKey = .fail }
        bench.origin.set("/posts?page=2", .text(#"[{"title":"no key"}]"#))
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.checkpoint() == 2)
    }

    /// The line has cut the page, or the link of the page is at fault.
    @Test(
        arguments: [
            .text(#"[{"id":3},{"id"#), .text(""),
            ScriptedOrigin.page("[9]", next: "https://elsewhere.example/posts?page=3"),
            .failure(Failure(.redirectRefused, phase: .answered, detail: "it leads to another origin")),
            .failure(Failure(.tooLarge(limit: 9), phase: .answered)),
        ] as [ScriptedAnswer])
    func `an answer that does not concern the checkpoint leaves it`(_ answer: ScriptedAnswer) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", answer)
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.checkpoint() == 2)
    }

    @Test(
        arguments: [
            (.timeout(.response), .maybeSent), (.connectionLost, .maybeSent), (.badContent, .answered),
            (.captivePortal, .answered),
            (.cantConnectToHost(.refused), .notSent),
        ] as [(Failure.Reason, Failure.Phase)])
    func `a page that a later request may get leaves it`(_ reason: Failure.Reason, _ phase: Failure.Phase) async throws
    {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .failure(Failure(reason, phase: phase)))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.checkpoint() == 2)
    }

    @Test(arguments: [401, 408, 425, 429, 500])
    func `a refusal that does not concern the checkpoint leaves it`(_ status: Int) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.init(code: status)))
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.checkpoint() == 2)
    }

    @Test func `a checkpoint of more than a day is dropped and reported`() async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        bench.time.advance(by: .seconds(86_401))
        let report = try await bench.sync()
        #expect(report.result.notes.first == "restarted: its checkpoint is older than 24 h")
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }
}
