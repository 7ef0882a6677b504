// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingJSON
import SidingSynchronization
import SidingTesting
import Testing

@Suite struct ListingTests {
    @Test func `a listing is saved whole, page by page in order`() async throws {
        let bench = try await EngineBench()
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2", "/posts?page=3"])
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        #expect(report.result.counters.pages == 3)
        #expect(report.result.counters.requests == 3)
        #expect(report.result.counters.inserted == 5)
        #expect(report.result.counters.bytes == 19 + 19 + 10)
        #expect(report.result.notes == ["paging: link_header"])
        let state = try await bench.state()
        #expect(state.completedAt == bench.time.now)
        #expect(state.checkpoint == nil)
    }

    @Test func `the run record equals the report`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=3", .status(.internalServerError))
        let report = try await bench.sync()
        let run = try await bench.lastRun()
        #expect(run.command == "sync posts")
        #expect(run.outcome == .queued)
        #expect(run.endedAt == bench.time.now)
        #expect(run.resources == [report.result])
        #expect(report.result.counters.requests == 3)
        #expect(report.result.counters.pages == 2)
    }

    @Test func `every page that has not changed answers 304, and nothing is written`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": ScriptedOrigin.page("[3]", etag: #"W/"b""#),
        ])
        let bench = try await EngineBench(origin)
        _ = try await bench.sync()
        let before = try await bench.store.records(of: "posts", after: nil, limit: 9, deleted: false)
        _ = origin.takeRequests()
        let link = try #require(HTTPField.Name("Link"))
        origin.set("/posts", .status(.notModified, headerFields: [link: "</posts?page=2>; rel=\"next\""]))
        origin.set("/posts?page=2", .status(.notModified))
        bench.time.advance(by: .seconds(60))
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.outcome == .notModified)
            #expect(report.result.counters.notModified == 2)
            #expect(
                report.result.counters.inserted + report.result.counters.updated + report.result.counters.unchanged == 0
            )
            #expect(origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [#""a""#, #"W/"b""#])
        }
        #expect(try await bench.store.records(of: "posts", after: nil, limit: 9, deleted: false) == before)
        #expect(try await bench.state().completedAt == bench.time.now)
        #expect(try await bench.lastRun().outcome == .notModified)
    }

    @Test func `a last page that changed alone does not mean that the listing has one page`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": ScriptedOrigin.page("[3]", etag: #""b""#),
        ])
        let bench = try await EngineBench(origin)
        _ = try await bench.sync()
        origin.set("/posts", .status(.notModified))
        origin.set("/posts?page=2", ScriptedOrigin.page("[3,4]", etag: #""c""#))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved && report.result.counters.pages == 2)
        #expect(report.result.notes == [])
    }

    @Test func `a page that changed is saved between pages that did not`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": ScriptedOrigin.page("[2]", etag: #""b""#),
        ])
        let bench = try await EngineBench(origin)
        _ = try await bench.sync()
        origin.set("/posts", .status(.notModified))
        origin.set("/posts?page=2", ScriptedOrigin.page("[2,3]", etag: #""c""#))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.counters.notModified == 1)
        #expect(report.result.counters.inserted == 1)
        #expect(report.result.counters.unchanged == 1)
    }

    @Test func `a date without an ETag is a condition too, and conditions can be turned off`() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let fields: HTTPFields = [.lastModified: date]
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text("[]", headerFields: fields)]))
        _ = try await bench.sync()
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifModifiedSince] } == [nil, date])
        bench.resource.isConditional = false
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifModifiedSince] } == [nil])
    }

    @Test func `a full listing begins at the first page and sends no condition`() async throws {
        let origin = ScriptedOrigin([
            "/posts": ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""a""#),
            "/posts?page=2": .status(.internalServerError),
        ])
        let bench = try await EngineBench(origin)
        _ = try await bench.sync()
        _ = origin.takeRequests()
        origin.set("/posts?page=2", ScriptedOrigin.page("[2]"))
        let report = try await bench.sync(SyncOptions(isFull: true))
        let requests = origin.takeRequests()
        #expect(report.result.outcome == .saved)
        #expect(requests.map(\.path) == ["/posts", "/posts?page=2"])
        #expect(requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        #expect(try await bench.queue() == [])
    }

    @Test func `an empty collection is a listing of one page`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": .text("[]")]))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes == ["paging: none"])
        #expect(try await bench.keys() == [])
    }

    @Test func `an answer without content removes nothing`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]")]))
        _ = try await bench.sync()
        bench.origin.set("/posts", .status(.noContent))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["1"])
    }

    @Test func `a changed definition is reported, and listed in full without conditions`() async throws {
        let page = ScriptedAnswer.text(#"[{"id":1,"uuid":"x"}]"#, headerFields: [.eTag: #""a""#])
        var bench = try await EngineBench(ScriptedOrigin(["/posts": page]))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        bench.resource.records = .root
        let report = try await bench.sync()
        #expect(
            report.result.notes.first
                == "the definition changed (records): full listing")
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil])
        #expect(try await bench.keys() == ["1"])
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [#""a""#])
    }

    @Test func `the records of another source at another origin are not written over`() async throws {
        var bench = try await EngineBench()
        _ = try await bench.sync()
        _ = bench.origin.takeTargets()
        bench.resource.source.name = "other"
        bench.resource.source.baseURL = try HTTPURL("https://api.example.net")
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed && report.failure?.reason == .invalidRequest)
        #expect(report.result.error?.name == "foreign_resource")
        #expect(report.result.error?.message.contains("belongs to the source 'blog' (https://api.example.org)") == true)
        let plan = try await SyncPlan.make(for: bench.resource, in: bench.store)
        #expect(plan.refusal == report.result.error)
        #expect(bench.origin.takeTargets() == [])
        #expect(try await bench.state().source == "blog")
        bench.resource.source.baseURL = try HTTPURL("https://api.example.org")
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.state().source == "other")
    }

    @Test func `credentials in the query are sent and never stored`() async throws {
        var bench = try await EngineBench(
            ScriptedOrigin([
                "/posts?api_key=s3cret": ScriptedOrigin.page("[1]", next: "/posts?page=2&api_key=s3cret"),
                "/posts?page=2&api_key=s3cret": .status(.internalServerError),
            ]))
        bench.resource.source.authorization = .apiKeyQuery("api_key", Secret("test") { "s3cret" })
        let report = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts?api_key=s3cret", "/posts?page=2&api_key=s3cret"])
        let entry = try await bench.entry(report.result.entry)
        #expect(entry.url == "https://api.example.org/posts?page=2")
        #expect(entry.lastError?.message.contains("s3cret") == false)
        #expect(try await bench.state().checkpoint?.url.query == "page=2")
    }

    @Test func `progress is reported after each page`() async throws {
        let bench = try await EngineBench()
        let told = Mutex<[Int]>([])
        _ = try await bench.engine { progress in told.withLock { $0.append(progress.counters.inserted) } }
            .sync(bench.resource)
        #expect(told.withLock { $0 } == [2, 4, 5])
    }
}
