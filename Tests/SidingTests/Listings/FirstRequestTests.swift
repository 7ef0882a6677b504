// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Listings of which no page was saved: nothing of them is taken over, so that what was mended counts at once.
@Suite(.timeLimit(.minutes(5))) struct FirstRequestTests {
    private static let (early, late) = ("2001-01-01T00:00:00Z", "2001-02-01T00:00:00Z")

    /// A bench whose first sync has left the cursor at ``late``, and the target that it asks for next.
    private static func bench() async throws -> EngineBench {
        let origin = ScriptedOrigin(["/posts": .text(#"[{"id":1,"at":"\#(early)"},{"id":2,"at":"\#(late)"}]"#)])
        var bench = try await EngineBench(origin)
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")))
        bench.resource.query = ["since": "{cursor}"]
        #expect(try await bench.sync().result.outcome == .saved)
        _ = origin.takeTargets()
        return bench
    }

    private static func target(_ since: String) -> String {
        "/posts?since=\(since.split(separator: ":").joined(separator: "%3A"))"
    }

    @Test func `a '--since' that the origin refuses leaves the next sync as it was`() async throws {
        let bench = try await Self.bench()
        bench.origin.set(Self.target(Self.early), .status(.badRequest))
        bench.origin.set(Self.target(Self.late), .text("[]"))
        var options = SyncOptions()
        options.since = Self.early
        #expect(try await bench.sync(options).result.outcome == .failed)
        let plan = try await SyncPlan.make(for: bench.resource, in: bench.store, now: bench.time.now)
        #expect(plan.reason == "new listing from the first page: changes since \(Self.late)")
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == [Self.target(Self.early), Self.target(Self.late)])
        #expect(plan.url == "https://api.example.org\(Self.target(Self.late))")
    }

    @Test func `a cursor that is written in another way from now on is written so at once`() async throws {
        var bench = try await Self.bench()
        bench.origin.set(Self.target(Self.late), .status(.badRequest))
        #expect(try await bench.sync().result.outcome == .failed)
        bench.resource.cursor?.format = .epoch
        bench.origin.set("/posts?since=980985600", .text("[]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == [Self.target(Self.late), "/posts?since=980985600"])
    }

    @Test
    func
        `what the queue retains of a first page is asked for as it was, and as it is now where the origin refuses that`()
        async throws
    {
        var bench = try await Self.bench()
        bench.origin.set(Self.target(Self.late), .status(.internalServerError), .status(.badRequest))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.resource.cursor?.format = .epoch
        bench.origin.set("/posts?since=980985600", .text("[]"))
        bench.time.advance(by: .seconds(3600))
        #expect(try await bench.sync().result.outcome == .saved)
        let refused = Self.target(Self.late)
        #expect(bench.origin.takeTargets() == [refused, refused, "/posts?since=980985600"])
        #expect(try await bench.queue().allSatisfy { $0.state == .done })
    }

    @Test func `an order that is declared later restarts the listing`() async throws {
        let first = #"[{"id":2,"at":"\#(Self.early)"},{"id":3,"at":"\#(Self.late)"}]"#
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[HTTPField.Name("Link")!] = "</posts?page=2>; rel=\"next\""
        let origin = ScriptedOrigin(["/posts": .text(first, headerFields: fields)])
        origin.set("/posts?page=2", .status(.internalServerError), .text(#"[{"id":4,"at":"\#(Self.late)"}]"#))
        var bench = try await EngineBench(origin)
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")))
        bench.resource.query = ["since": "{cursor}"]
        #expect(try await bench.sync().result.outcome == .queued)
        bench.resource.cursor?.order = .ascending
        let report = try await bench.sync()
        #expect(report.warnings == ["the definition changed (cursor): full listing"])
        #expect(try await bench.keys() == ["2", "3", "4"])
    }

    @Test(arguments: [1, 2])
    func `where a rule decides a refusal, its entry is tried again and the listing does not restart`(
        _ page: Int
    ) async throws {
        var bench = try await EngineBench()
        let target = page == 1 ? "/posts" : "/posts?page=2"
        bench.origin.set(target, .status(.notFound))
        bench.resource.source.failureRules = [
            try FailureRule(when: .answer(.init(statuses: [404])), do: .retry)
        ]
        let first = try await bench.sync()
        let before = page == 1 ? [target] : ["/posts", target]
        #expect(first.result.outcome == .queued && bench.origin.takeTargets() == before)
        for attempt in 2...4 {
            bench.time.advance(by: .seconds(3600))
            let report = try await bench.sync()
            #expect(report.result.entry == first.result.entry && bench.origin.takeTargets() == [target])
            #expect(try await bench.entry(first.result.entry).attempts == attempt)
        }
    }
}
