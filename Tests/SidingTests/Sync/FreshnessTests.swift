// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// How soon a resource is asked for again, as its origin says it.
@Suite(.timeLimit(.minutes(5))) struct FreshnessTests {
    private static func page(_ ids: String, _ fields: [String: String], next: String? = nil) -> ScriptedAnswer {
        var all: HTTPFields = [.contentType: "application/json"]
        for (name, value) in fields { all[HTTPField.Name(name)!] = value }
        if let next { all[HTTPField.Name("Link")!] = "<\(next)>; rel=\"next\"" }
        let records = ids.split(separator: ",").map { #"{"id":\#($0)}"# }
        return .text("[\(records.joined(separator: ","))]", headerFields: all)
    }

    private func bench(_ fields: [String: String]) async throws -> EngineBench {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": Self.page("1", fields)]))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts"])
        return bench
    }

    @Test func `a poll interval is kept to by every sync, reported, and over in time`() async throws {
        let bench = try await bench(["X-Poll-Interval": "60"])
        bench.time.advance(by: .seconds(59))
        let report = try await bench.sync()
        #expect(report.result.outcome == .skipped)
        #expect(report.result.notes.first?.contains("the next request at 2023-11-14T22:14:20") ?? false)
        #expect(bench.origin.takeTargets() == [])
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts"])
    }

    @Test func `a full, limited or ranged sync is sent regardless of the poll interval`() async throws {
        let bench = try await bench(["X-Poll-Interval": "60", "Cache-Control": "max-age=60"])
        for options in [
            SyncOptions(isFull: true), SyncOptions(limit: 1), SyncOptions(since: "1"),
            SyncOptions(backfill: .init(from: "1", to: "2")), SyncOptions(isFull: true, maxAge: .seconds(60)),
        ] {
            #expect(try await bench.sync(options).result.outcome == .saved)
            #expect(bench.origin.takeTargets() == ["/posts"])
        }
    }

    @Test func `max-age counts where older records are accepted, and does not delay a sync without it`() async throws {
        let bench = try await bench(["Cache-Control": "max-age=600", "Age": "100"])
        bench.time.advance(by: .seconds(400))
        let report = try await bench.sync(SyncOptions(maxAge: .seconds(60)))
        #expect(report.result.outcome == .skipped)
        #expect(report.result.notes.first?.contains("current until 2023-11-14T22:21:40") ?? false)
        #expect(try await bench.sync().result.outcome == .saved)
        _ = bench.origin.takeTargets()
        bench.time.advance(by: .seconds(500))
        #expect(try await bench.sync(SyncOptions(maxAge: .seconds(60))).result.outcome == .saved)
    }

    @Test func `without conditions HTTP's caching does not count, and the poll interval does`() async throws {
        let bench = try await bench([:])
        var eager = bench
        eager.resource.isConditional = false
        bench.origin.set("/posts", Self.page("1", ["Cache-Control": "max-age=600"]))
        #expect(try await eager.sync().result.outcome == .saved)
        #expect(try await eager.state().freshness == ListingFreshness())
        bench.origin.set("/posts", Self.page("1", ["X-Poll-Interval": "60"]))
        #expect(try await eager.sync().result.outcome == .saved)
        #expect(try await eager.sync().result.outcome == .skipped)
    }

    @Test func `a 304 sets it too, and a 304 without one ends it`() async throws {
        let bench = try await bench(["X-Poll-Interval": "60", "ETag": "\"1\""])
        bench.time.advance(by: .seconds(60))
        bench.origin.set("/posts", .status(.notModified, headerFields: [HTTPField.Name("X-Poll-Interval")!: "5"]))
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(try await bench.sync().result.outcome == .skipped)
        bench.time.advance(by: .seconds(5))
        bench.origin.set("/posts", .status(.notModified))
        #expect(try await bench.sync().result.outcome == .notModified)
        #expect(try await bench.sync().result.outcome == .notModified)
    }

    @Test func `the first page speaks, and only for a listing that is whole`() async throws {
        let origin = ScriptedOrigin([
            "/posts": Self.page("1", ["X-Poll-Interval": "60"], next: "/posts?page=2"),
            "/posts?page=2": .status(.notFound),
        ])
        let bench = try await EngineBench(origin)
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(try await bench.state().freshness == ListingFreshness())
        origin.set("/posts?page=2", Self.page("2", ["X-Poll-Interval": "7"]))
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.outcome == .saved)
        #expect(try await bench.state().freshness.notBefore == bench.time.now + .seconds(60))
        // What stopped since is gone on with.
        origin.set("/posts?page=2", .status(.notFound))
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.outcome == .failed)
        origin.set("/posts?page=2", Self.page("2", [:]))
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `another definition, and a cursor that an operator set, are requested at once`() async throws {
        var bench = try await bench(["X-Poll-Interval": "60"])
        bench.origin.set("/posts?x=1", Self.page("1", ["X-Poll-Interval": "60"]))
        bench.resource.query = ["x": 1]
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.sync().result.outcome == .skipped)
        let lease = try #require(try await bench.lease())
        try await bench.store.setCursor("5", of: "posts", lease: lease)
        try await bench.store.releaseLease(lease)
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `deletions that an operator accepts are requested at once`() async throws {
        let bench = try await bench(["X-Poll-Interval": "60", "Cache-Control": "max-age=60"])
        var options = SyncOptions(maxAge: .seconds(60))
        options.acceptsDeletes = true
        #expect(try await bench.sync(options).result.outcome == .saved)
    }

    @Test
    func `a young copy does not skip a changed definition, a set cursor, or an unfinished listing`() async throws {
        var bench = try await bench([:])
        let young = SyncOptions(maxAge: .seconds(3_600))
        #expect(try await bench.sync(young).result.outcome == .skipped)
        bench.origin.set("/posts?x=1", Self.page("1", [:]))
        bench.resource.query = ["x": 1]
        #expect(try await bench.sync(young).result.outcome == .saved)
        #expect(try await bench.sync(young).result.outcome == .skipped)
        let lease = try #require(try await bench.lease())
        try await bench.store.setCursor(nil, of: "posts", lease: lease)
        try await bench.store.releaseLease(lease)
        #expect(try await bench.sync(young).result.outcome == .saved)
        #expect(try await bench.sync(young).result.outcome == .skipped)
        bench.origin.set("/posts?x=1", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.origin.set("/posts?x=1", Self.page("1", [:]))
        #expect(try await bench.sync(young).result.outcome == .saved)
    }

    @Test func `columns that are declared meanwhile are shown at once, regardless of the poll interval`() async throws {
        var bench = try await bench(["X-Poll-Interval": "60"])
        bench.resource.schema.columns = [RecordColumn("id", .integer)]
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.sync().result.outcome == .skipped)
    }

    @Test func `the interval of the first page counts for a listing that was continued`() async throws {
        let origin = ScriptedOrigin([
            "/posts": Self.page("1", ["X-Poll-Interval": "60"], next: "/posts?page=2"),
            "/posts?page=2": .status(.internalServerError),
        ])
        let bench = try await EngineBench(origin)
        #expect(try await bench.sync().result.outcome == .queued)
        origin.set("/posts?page=2", Self.page("2", [:]))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.state().freshness.notBefore == bench.time.now + .seconds(60))
        #expect(try await bench.sync().result.outcome == .skipped)
    }

    @Test func `a clock that was set back freezes nothing`() async throws {
        let bench = try await bench(["X-Poll-Interval": "99999999", "Cache-Control": "max-age=99999999"])
        #expect(try await bench.state().freshness.notBefore == bench.time.now + .seconds(86_400))
        bench.time.advance(by: .seconds(-3600))
        #expect(try await bench.sync(SyncOptions(maxAge: .seconds(60))).result.outcome == .saved)
    }

    @Test func `a plan reports that nothing is requested now`() async throws {
        let bench = try await bench(["X-Poll-Interval": "60"])
        let plan = try await SyncPlan.make(for: bench.resource, in: bench.store, now: bench.time.now)
        #expect(plan.reason.hasPrefix("nothing now: the origin allows the next request at"))
        let full = try await SyncPlan.make(
            for: bench.resource, options: SyncOptions(isFull: true), in: bench.store, now: bench.time.now)
        #expect(!full.reason.hasPrefix("nothing now"))
    }
}
